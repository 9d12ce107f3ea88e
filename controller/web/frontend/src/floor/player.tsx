// The replay of a round: its phases with their seconds, cards as bars, decisions as rings, payments as dots.

import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { SmallKey } from "../shared/small-key";
import type { RoundSheet, StudioFileView } from "../view";
import { firstCard, type Played } from "./use-played";

const SPEEDS = [1, 2, 5] as const;
const PAUSE_MAX_S = 3;
const MARKS: Record<StudioFileView["steps"][number]["what"], string> = {
  card: "card",
  reveal: "card",
  decision: "decision",
  paid: "paid",
  other: "other",
};

const LEGEND = [
  ["card", "field.card"],
  ["decision", "field.action"],
  ["paid", "ui.fact_paid"],
] as const;

interface Props {
  sheet: RoundSheet;
  played: Played;
}

/** It starts at the first card, or at the difference; keys go step by step. */
export function Player({ sheet, played }: Props) {
  const i18n = useI18n();
  const { file, step, toStep } = played;
  const [plays, setPlays] = useState(false);
  const [speed, setSpeed] = useState(0);
  const last = file ? file.steps.length - 1 : 0;
  usePlaying(file, step, plays, SPEEDS[speed] ?? 1, toStep, () => setPlays(false));
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || document.querySelector("dialog[open]")) return;
      if (event.key === "ArrowRight") toStep(Math.min(step + 1, last));
      else if (event.key === "ArrowLeft") toStep(Math.max(step - 1, 0));
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [step, last, toStep]);
  const differs = file ? differenceStep(file, sheet) : null;
  return (
    <section class="player" aria-label={i18n.text("ui.replay")}>
      <div class="player-keys">
        <SmallKey
          data-key="BACK"
          aria-label={i18n.text("ui.step_back")}
          disabled={step === 0}
          onClick={() => toStep(step - 1)}
        >
          ‹
        </SmallKey>
        <SmallKey data-key="PLAY" aria-pressed={plays} disabled={!file} onClick={() => setPlays(!plays)}>
          {i18n.text(plays ? "studio.pause" : "studio.play")}
        </SmallKey>
        <SmallKey
          data-key="FORWARD"
          aria-label={i18n.text("ui.step_forward")}
          disabled={step >= last}
          onClick={() => toStep(step + 1)}
        >
          ›
        </SmallKey>
        {file && (
          <span class="quiet" data-step={step}>
            <b>{i18n.clock(timeOf(sheet, file, step), true)}</b>{" "}
            {i18n.text("ui.step_of", { step: step + 1, steps: last + 1 })}
          </span>
        )}
        <span class="spring" />
        <SmallKey data-key="FIRST_CARD" disabled={!file} onClick={() => file && toStep(firstCard(file))}>
          {i18n.text("ui.first_card")}
        </SmallKey>
        {differs !== null && (
          <SmallKey data-key="DIFFERENCE" onClick={() => toStep(differs)}>
            {i18n.text("ui.ledger_difference")}
          </SmallKey>
        )}
        <SmallKey data-key="SPEED" onClick={() => setSpeed((speed + 1) % SPEEDS.length)}>
          {i18n.text("ui.speed", { speed: SPEEDS[speed] ?? 1 })}
        </SmallKey>
      </div>
      <div class="phases flex">
        {sheet.phases.map((phase) => (
          <span
            key={phase.name}
            class={`slim clip text-small weight-650 nowrap ground-3 ${phase.name}`}
            style={{ flex: Math.max(phase.seconds, 3) }}
          >
            {i18n.text(`phase.${phase.name}`)} {i18n.text("ui.seconds", { seconds: phase.seconds })}
          </span>
        ))}
      </div>
      {file && <TimeLine file={file} step={step} differs={differs} toStep={toStep} />}
    </section>
  );
}

interface Line {
  file: StudioFileView;
  step: number;
  differs: number | null;
  toStep: (step: number) => void;
}

/** The steps drawn side by side under one slider: each of them alone would be too narrow for a finger. */
function TimeLine({ file, step, differs, toStep }: Line) {
  const i18n = useI18n();
  const steps = file.steps.length;
  return (
    <div class="time-line row wrap">
      <div class="legend" aria-hidden="true">
        {LEGEND.map(([mark, name]) => (
          <span key={mark}>
            <i class={`mark ${mark}`} /> {i18n.text(name)}
          </span>
        ))}
      </div>
      <div class="marks row within" style={{ "--steps": steps }}>
        {file.steps.map(({ line, what }, index) => (
          <span key={line} class={`mark ${index === differs ? "differs" : MARKS[what]}`} />
        ))}
        <input
          class="whole-width"
          type="range"
          min={0}
          max={steps - 1}
          value={step}
          aria-label={i18n.text("ui.replay")}
          aria-valuetext={i18n.text("ui.step_of", { step: step + 1, steps })}
          onInput={(event) => toStep(Number(event.currentTarget.value))}
        />
      </div>
    </div>
  );
}

/** When a step came, as its sentence says it. */
const timeOf = ({ row, deeds }: RoundSheet, { steps }: StudioFileView, step: number): number =>
  deeds.findLast((deed) => deed.seq <= (steps[step]?.entry ?? 0))?.at_utc_us ?? row.at_utc_us;

/** The step at which a payout differed from what was due; null where none did. */
function differenceStep({ steps }: StudioFileView, { deeds }: RoundSheet): number | null {
  const wrong = deeds.find((deed) => deed.differs);
  if (!wrong) return null;
  const after = steps.findIndex((step) => step.entry > wrong.seq);
  return after < 0 ? steps.length - 1 : Math.max(after - 1, 0);
}

function usePlaying(
  file: StudioFileView | null,
  step: number,
  plays: boolean,
  pace: number,
  toStep: (step: number) => void,
  onEnd: () => void,
): void {
  useEffect(() => {
    if (!plays || !file) return undefined;
    const [here, next] = [file.steps[step], file.steps[step + 1]];
    if (!here || !next) {
      onEnd();
      return undefined;
    }
    const wait = Math.max((Math.min(next.t - here.t, PAUSE_MAX_S) * 1000) / pace, 150);
    const timer = setTimeout(() => toStep(step + 1), wait);
    return () => clearTimeout(timer);
  }, [plays, file, step, pace, toStep, onEnd]);
}
