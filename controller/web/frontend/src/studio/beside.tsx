// What stands beside the tester's table: the entry, its causes, a search, what the devices sent.
import { useEffect, useMemo, useState } from "preact/hooks";
import { memo, useStable } from "../felt/parts";
import { cardSought, useI18n } from "../i18n/i18n";
import { Sight } from "../shared/camera-view";
import type { Finding, LineView, ReceivedView, SeenView, StepView } from "../view";
import { ask, type Cause, causesOf, fieldName, fieldValue, pathName } from "./steps";

const AGAIN_MS = 500;

/** Below the line: nothing while a recording has nothing of this step. */
export function WhatWasSeen({ number, at }: { number: number; at: number }) {
  const i18n = useI18n();
  const seen = useSeen(number, at);
  const [heated, setHeated] = useState(false);
  if (!seen || seen.state === "none") return null;
  return (
    <section class="studio-seen" data-seen={seen.state}>
      <h2>{i18n.text("studio.seen")}</h2>
      {seen.state === "reading" && <p role="status">{i18n.text("studio.seen_reading")}</p>}
      {seen.cameras.length > 0 && (
        <button type="button" class="top-key" aria-pressed={heated} onClick={() => setHeated(!heated)}>
          {i18n.text("studio.heat")}
        </button>
      )}
      {seen.cameras.map(({ before_ms, heat, view }) => (
        <div class="cameras low scroll-y ground-1 edge round-12" key={view.camera}>
          <h3>{i18n.text("studio.seen_before", { source: view.camera, ms: before_ms })}</h3>
          <Sight camera={view} heat={heated ? heat : undefined} />
        </div>
      ))}
      {seen.hidden && <p>{i18n.text("studio.seen_hidden")}</p>}
      {seen.received.map((chunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: chunks have no name and never move.
        <Chunk key={index} chunk={chunk} />
      ))}
    </section>
  );
}

/** A chunk of bytes, and what the driver told of it. */
function Chunk({ chunk }: { chunk: ReceivedView }) {
  const i18n = useI18n();
  return (
    <div data-received={chunk.source}>
      <h3>{i18n.text("studio.seen_before", { source: chunk.source, ms: chunk.before_ms })}</h3>
      <pre>
        {chunk.hex}
        {"\n"}
        {chunk.text}
      </pre>
      {chunk.reports.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {chunk.troubles.map((words) => (
        <p key={words.code}>{i18n.say(words)}</p>
      ))}
    </div>
  );
}

/** Asked for again while the recording is still read; a late answer is dropped. */
function useSeen(number: number, at: number): SeenView | null {
  const [seen, setSeen] = useState<SeenView | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const look = async (): Promise<void> => {
      const found = await ask<SeenView>(`/${number}/seen/${at}`);
      if (gone) return;
      setSeen(found);
      if (found?.state === "reading") timer = setTimeout(() => void look(), AGAIN_MS);
    };
    setSeen(null);
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [number, at]);
  return seen;
}

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
