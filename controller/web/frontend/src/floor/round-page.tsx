// One round: replayed, its money, its corrections, and its keys.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { RoundPictures } from "../pit/camera-doubt";
import { at, roundAddress, useFetched } from "../server/http";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/instruction-bar";
import { SmallKey } from "../shared/keys";
import type { CorrectionView, RoundSheet, StudioFileView } from "../view";
import { Deeds } from "./deeds";
import { MoneyTable } from "./ledger";
import { Heads, Section } from "./list";
import type { PitTable } from "./live-table";
import { addressOf, firstCard, Link, type Place, type Played, usePlayed } from "./place";

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

/** It starts at the first card, or at the difference; keys go step by step. */
function Player({ sheet, played }: { sheet: RoundSheet; played: Played }) {
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

const SAID_MS = 2000;

/** The step that is shown on the felt is the one of the replay and of the marked sentence; it stands in the address. */
export function RoundPage({ table, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const { view, go } = table;
  const number = Number(place.what);
  const sheet = useFetched<RoundSheet>(`/api/rounds/${number}`, view.seq);
  const box = Number(place.query.get("box")) || null;
  const asked = place.query.get("step");
  const played = usePlayed(number, asked === null ? null : Number(asked), (step) =>
    go(roundAddress(number, { step, ...(box ? { box } : {}) }), true),
  );
  const missing = useMissing(number);
  if (missing) {
    return (
      <main class="page">
        <p class="quiet">{i18n.text("ui.round_missing", { round: number })}</p>
        <Link to={addressOf("rounds")} go={go} class="key-small">
          {i18n.text("ui.page_rounds")}
        </Link>
      </main>
    );
  }
  if (!sheet) return <p class="quiet loading">{i18n.text("ui.loading")}</p>;
  const shown = played.view?.view;
  return (
    <main class="round-page grid low">
      <Head sheet={sheet} table={table} />
      <div class="round-left">
        <div class="felt">
          {shown ? (
            <FittedTable view={shown} prompt={promptOf(shown)} from="pit" selected={box} />
          ) : (
            <p class="quiet loading">{i18n.text(played.failed ? "ui.replay_failed" : "ui.replay_opens")}</p>
          )}
        </div>
        <Player sheet={sheet} played={played} />
        <div class="round-below grid gap-16">
          <Deeds sheet={sheet} played={played} box={box} />
          <RoundPictures number={number} />
        </div>
      </div>
      <Detail name="ui.money_per_box" keys={<Keys sheet={sheet} table={table} box={box} />}>
        <MoneyTable sheet={sheet} box={box} />
        {sheet.corrections.map((correction, index) => (
          <Correction key={correction.seq} correction={correction} number={index + 1} />
        ))}
      </Detail>
    </main>
  );
}

/** Whether the server has no such round: asked once, beside the sheet that is asked for again and again. */
function useMissing(number: number): boolean {
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    setMissing(false);
    void fetch(at(`/api/rounds/${number}`)).then((answer) =>
      setMissing(answer.status === 404 || answer.status === 422),
    );
  }, [number]);
  return missing;
}

function Head({ sheet, table: { view, go } }: { sheet: RoundSheet; table: PitTable }) {
  const i18n = useI18n();
  const { row } = sheet;
  const last = sheet.corrections.at(-1);
  return (
    <header class="page-head across edge-below">
      <Link to={addressOf("rounds")} go={go} name="back" class="key-small">
        ‹ {i18n.text("ui.page_rounds")}
      </Link>
      <h1>{i18n.text("ui.round_number", { round: row.round })}</h1>
      <span class="quiet">
        {view.table} · {i18n.day(row.at_utc_us)} · <b>{i18n.clock(row.at_utc_us, true)}</b>–
        <b>{i18n.clock(sheet.until_utc_us, true)}</b> ·{" "}
        {i18n.text("ui.round_dealer", { dealer: row.dealer || "–" })} ·{" "}
        {i18n.text("ui.round_shoe", { shoe: sheet.shoe })} · {row.code}
      </span>
      <span class="spring" />
      {row.open && <b class="differs">! {i18n.money(row.difference.money)}</b>}
      {last && <b class="ok">✓ {i18n.text("ui.corrected_at", { time: i18n.clock(last.at_utc_us) })}</b>}
      {sheet.previous !== null && (
        <Link to={roundAddress(sheet.previous)} go={go} name="previous" class="key-small">
          ‹ {sheet.previous}
        </Link>
      )}
      {sheet.next !== null && (
        <Link to={roundAddress(sheet.next)} go={go} name="next" class="key-small">
          {sheet.next} ›
        </Link>
      )}
    </header>
  );
}

interface DetailProps {
  /** What it is about, by the key of a text. */
  name: string;
  /** The chosen entry. */
  entry?: number;
  keys: ComponentChildren;
  children: ComponentChildren;
}

/** The sections of a round or of an entry, above its keys; the last key copies the page's address. */
export function Detail({ name, entry, keys, children }: DetailProps) {
  const i18n = useI18n();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(location.href);
    setDone(true);
    setTimeout(() => setDone(false), SAID_MS);
  };
  return (
    <aside class="round-right" aria-label={i18n.text(name)} data-chosen={entry}>
      {children}
      <footer class="round-keys flex wrap gap-10">
        {keys}
        {/* A page without TLS has no clipboard of its own: the address bar has the address then. */}
        {navigator.clipboard && (
          <SmallKey data-key="COPY_LINK" onClick={() => void copy()}>
            {i18n.text(done ? "ui.link_copied" : "ui.link_copy")}
          </SmallKey>
        )}
      </footer>
    </aside>
  );
}

/** A ruling on the round: its sentence, before and after, why, and who has signed. */
export function Correction({ correction, number }: { correction: CorrectionView; number: number }) {
  const i18n = useI18n();
  const { reason } = correction;
  const said = i18n.value(reason);
  return (
    <Section
      class="correction"
      data-correction={correction.seq}
      name="ui.correction"
      params={{ number }}
      beside={i18n.text("ui.correction_at", {
        time: i18n.clock(correction.at_utc_us, true),
        record: correction.seq,
      })}
    >
      <p>{i18n.say(correction.text)}</p>
      {correction.changes.length === 0 ? (
        <p>{i18n.text("ui.no_money_moved")}</p>
      ) : (
        <table class="ledger-table">
          <Heads heads={["", "ui.correction_before", "ui.correction_after", "ui.correction_change"]} />
          <tbody>
            {correction.changes.map((change) => (
              <tr key={i18n.say(change.text)}>
                <td>{i18n.say(change.text)}</td>
                <td class="amount">
                  {change.before.money === change.after.money ? (
                    i18n.money(change.before.money)
                  ) : (
                    <s>{i18n.money(change.before.money)}</s>
                  )}
                </td>
                <td class="amount after">{i18n.money(change.after.money)}</td>
                <td class="amount">{i18n.money(change.change.money)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet">
        {said !== "" && <>{i18n.text("ui.correction_reason", { reason: said })} </>}
        {correction.second === ""
          ? i18n.text("ui.correction_by", { by: correction.by })
          : i18n.text("ui.correction_by_two", { by: correction.by, second: correction.second })}
      </p>
    </Section>
  );
}

interface KeysProps {
  sheet: RoundSheet;
  table: PitTable;
  box: number | null;
}

function Keys({ sheet, table: { off, open }, box }: KeysProps) {
  const i18n = useI18n();
  const { round } = sheet.row;
  const where = sheet.money.find((row) => row.differs)?.box ?? box;
  return (
    <>
      <SmallKey
        class="key-small main"
        data-key="PUT_RIGHT"
        disabled={off}
        onClick={() => open({ open: "entered", at: where ? { fact: "paid", box: where, round } : { round } })}
      >
        {i18n.text(sheet.corrections.length > 0 ? "ui.correct_again" : "key.CORRECT")}
      </SmallKey>
      <SmallKey data-key="PRINT" onClick={() => print()}>
        {i18n.text("key.PRINT")}
      </SmallKey>
      <a
        class="key-small"
        data-key="CASE"
        href={at(`/api/played/${sheet.row.round}/case`)}
        download={`round_${sheet.row.round}.zip`}
      >
        {i18n.text("ui.save_case")}
      </a>
    </>
  );
}
