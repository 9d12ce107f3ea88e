// Beside the table: the line as it stands, what followed, the rules that decided, and where to look first.
import { memo, useStable } from "../felt/memo";
import { useI18n } from "../i18n/context";
import type { Finding, StepView } from "../view";
import { fieldName, fieldValue, pathName } from "./field-name";

/** One line and what it led to. */
export function Entry({ step }: { step: StepView }) {
  const i18n = useI18n();
  return (
    <section class="studio-entry">
      <h2>
        {i18n.text("studio.entry")} {step.line}
      </h2>
      {step.says && <p data-says>{i18n.say(step.says)}</p>}
      <dl>
        {step.by && (
          <div>
            <dt>{fieldName("by", i18n)}</dt>
            <dd>{step.by}</dd>
          </div>
        )}
        {step.entry.map(([name, value]) =>
          // What the line is, the sentence says.
          name === "obs" && step.says ? null : (
            <div key={name}>
              <dt>{pathName(name, i18n)}</dt>
              <dd>{fieldValue(name, value, i18n)}</dd>
            </div>
          ),
        )}
      </dl>
      <h2>{i18n.text("studio.led")}</h2>
      {step.said.length > 0 ? (
        step.said.map((words) => <p key={words.code}>{i18n.say(words)}</p>)
      ) : (
        <p>{i18n.text("studio.nothing")}</p>
      )}
      {step.rules.length > 0 && (
        <p data-rules>
          {i18n.text("studio.rules")} <b>{step.rules.join(", ")}</b>
        </p>
      )}
    </section>
  );
}

interface FindingsProps {
  findings: readonly Finding[];
  at: number;
  onStep: (at: number) => void;
}

/** The places that are worth a look, the heaviest round first. */
export function Findings({ findings, at, onStep }: FindingsProps) {
  const i18n = useI18n();
  const go = useStable(onStep);
  return (
    <section class="studio-findings">
      <h2>{i18n.text("studio.look")}</h2>
      {findings.length === 0 && <p>{i18n.text("studio.none")}</p>}
      <ol>
        {findings.map((finding) => (
          <Place
            key={`${finding.round}/${finding.step}${finding.text.code}`}
            finding={finding}
            isHere={finding.step === at}
            onStep={go}
          />
        ))}
      </ol>
    </section>
  );
}

interface PlaceProps {
  finding: Finding;
  isHere: boolean;
  onStep: (at: number) => void;
}

/** Remembered: a shift has hundreds of places, and a step changes two of them. */
const Place = memo(({ finding, isHere, onStep }: PlaceProps) => {
  const i18n = useI18n();
  return (
    <li>
      <button type="button" aria-current={isHere ? "step" : undefined} onClick={() => onStep(finding.step)}>
        <b>{i18n.text("studio.round", { round: finding.round })}</b> {i18n.say(finding.text)}
      </button>
    </li>
  );
});
