// Beside the table: the line as it stands, what followed, the rules that decided, and where to look first.
import { useMemo, useState } from "preact/hooks";
import { memo, useStable } from "../felt/memo";
import { useI18n } from "../i18n/context";
import { cardSought } from "../i18n/i18n";
import type { Finding, LineView, StepView } from "../view";
import { ask } from "./bodies";
import { type Cause, causesOf } from "./causes";
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
            <dd>{fieldValue("by", step.by, i18n)}</dd>
          </div>
        )}
        {step.entry.map(([name, value]) =>
          // What the line is, the sentence says; who reported it stands above.
          (name === "obs" && step.says) || (name === "by" && value === step.by) ? null : (
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

/** The causes that are worth a look, the heaviest round first; what follows is folded in. */
export function Findings({ findings, at, onStep }: FindingsProps) {
  const i18n = useI18n();
  const go = useStable(onStep);
  const causes = useMemo(() => causesOf(findings), [findings]);
  return (
    <section class="studio-findings">
      <h2>{i18n.text("studio.look")}</h2>
      {findings.length === 0 && <p>{i18n.text("studio.none")}</p>}
      <ol class="scroll-y">
        {causes.map((cause) => (
          <Folded
            key={`${cause.finding.round}/${cause.finding.weight === 0}`}
            cause={cause}
            here={[cause.finding, ...cause.follows].some((one) => one.step === at) ? at : null}
            onStep={go}
          />
        ))}
      </ol>
    </section>
  );
}

interface FoldedProps {
  cause: Cause;
  /** The step that is shown where it is one of these. */
  here: number | null;
  onStep: (at: number) => void;
}

/** Remembered: a shift has hundreds of causes, and a step changes two of them. */
const Folded = memo(({ cause: { finding, follows }, here, onStep }: FoldedProps) => {
  const i18n = useI18n();
  return (
    <li>
      <Place text={finding} isHere={finding.step === here} onStep={onStep} />
      {follows.length > 0 && (
        <details open={follows.some((one) => one.step === here)}>
          <summary>{i18n.text("studio.follows", { count: follows.length })}</summary>
          {follows.map((one) => (
            <Place
              key={`${one.step} ${one.text.code}`}
              text={one}
              isHere={one.step === here}
              onStep={onStep}
            />
          ))}
        </details>
      )}
    </li>
  );
});

interface PlaceProps {
  text: Pick<Finding, "step" | "round" | "text">;
  isHere: boolean;
  onStep: (at: number) => void;
}

function Place({ text: { step, round, text }, isHere, onStep }: PlaceProps) {
  const i18n = useI18n();
  return (
    <button type="button" aria-current={isHere ? "step" : undefined} onClick={() => onStep(step)}>
      <b>{i18n.text("studio.round", { round })}</b> {i18n.say(text)}
    </button>
  );
}

/** So many lines are listed; the count says how many there are. */
const FOUND_MAX = 50;

/** Finds lines by their sentence: amount, box, card, person; all words have to stand in it. */
export function Search({ number, at, onStep }: { number: number; at: number; onStep: (at: number) => void }) {
  const i18n = useI18n();
  const [find, setFind] = useState("");
  const [lines, setLines] = useState<LineView[] | null>(null);
  const said = useMemo(
    () =>
      lines?.map((line) =>
        `${i18n.text("studio.round", { round: line.round })} ${i18n.say(line.text)}`.toLowerCase(),
      ),
    [lines, i18n],
  );
  const words = find.toLowerCase().split(/\s+/).filter(Boolean).map(cardSought);
  const found =
    words.length > 0
      ? (lines ?? []).filter((_, index) => words.every((word) => said?.[index]?.includes(word)))
      : [];
  const load = (): void => {
    if (!lines) void ask<LineView[]>(`/${number}/lines`).then(setLines);
  };
  return (
    <search class="studio-search">
      <input
        type="search"
        aria-label={i18n.text("studio.find")}
        placeholder={i18n.text("studio.find")}
        value={find}
        onFocus={load}
        onInput={(event) => setFind(event.currentTarget.value)}
      />
      {words.length > 0 && (
        <div class="studio-findings" data-found={found.length}>
          <p role="status">
            {lines ? i18n.text("studio.found", { count: found.length }) : i18n.text("ui.loading")}
          </p>
          {found.slice(0, FOUND_MAX).map((line) => (
            <Place key={line.step} text={line} isHere={line.step === at} onStep={onStep} />
          ))}
        </div>
      )}
    </search>
  );
}
