// The tester's screen: a file step by step, with its time line.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Table } from "../felt/table";
import { type I18n, I18nContext, useI18n, useLanguage } from "../i18n/i18n";
import { FittedTable } from "../shared/fitted-table";
import { InstructionBar } from "../shared/instruction-bar";
import { LanguageKeys } from "../shared/keys";
import type { OpeningView, StepView, StudioFileRow, StudioFileView, Words } from "../view";
import { Entry, Findings, Search, WhatWasSeen } from "./beside";
import { AcceptBaseline, KeepCase } from "./cases";
import {
  ask,
  askedFile,
  elapsed,
  firstStep,
  LANES,
  moment,
  openFile,
  playedRound,
  sharing,
  target,
  usePlace,
} from "./steps";

const ASK_MS = 200;

/** Asks again and again, until the file is there and this part is gone; a running table has one round, at once. */
function Loading({ number, name }: { number: number; name: string }) {
  const i18n = useI18n();
  const [opening, setOpening] = useState<OpeningView | null>(null);
  useEffect(() => {
    if (playedRound) return;
    const look = (): void =>
      void ask<OpeningView>(`/${number}/opening`).then((answer) => answer && setOpening(answer));
    const timer = setInterval(look, ASK_MS);
    return () => clearInterval(timer);
  }, [number]);
  const first = opening?.first;
  const prompt = first?.view.prompts[0];
  return (
    <>
      {first && prompt && (
        <div class="studio-first">
          <div class="studio-table grid low">
            <InstructionBar prompt={prompt} detail={prompt.detail} chips={first.view.chips} />
            <div class="felt">
              <Table view={first.view} prompt={prompt} />
            </div>
          </div>
        </div>
      )}
      <p class="studio-opens centre soft" role="status">
        {i18n.text("studio.opens", { file: name })}
        <progress
          aria-label={i18n.text("studio.opens", { file: name })}
          max={opening?.of || undefined}
          value={opening?.of ? opening.done : undefined}
        />
      </p>
    </>
  );
}

const WIDTH = 1000;
const ROW = 20;

interface TimelineProps {
  file: StudioFileView;
  at: number;
  /** The part of the file that is drawn is 1/zoom, around the step. */
  zoom: number;
  onStep: (at: number) => void;
}

/** Lines stand at even distances: a pause of the table would else take most of the room. */
function Timeline({ file, at, zoom, onStep }: TimelineProps) {
  const i18n = useI18n();
  const { steps } = file;
  const count = steps.length;
  const shown = Math.max(Math.ceil(count / zoom), 1);
  const from = Math.min(Math.max(at - Math.floor(shown / 2), 0), count - shown);
  const x = (index: number): number => ((index - from + 0.5) / shown) * WIDTH;
  const step = steps[at];
  const { cameras, findings } = file;
  const lanes = useMemo(
    () => [
      ...LANES.map((lane, row) => (
        <path
          key={lane}
          class={`mark ${lane}`}
          d={rowMarks((index) => steps[index]?.lanes.includes(lane) ?? false, row, from, shown)}
        />
      )),
      ...cameras.map((name, row) => (
        <path
          key={`camera ${name}`}
          class="mark camera"
          d={rowMarks((at) => steps[at]?.cameras.includes(name) ?? false, LANES.length + row, from, shown)}
        />
      )),
    ],
    [steps, cameras, from, shown],
  );
  const lanesCount = LANES.length + cameras.length;
  const looks = useMemo(() => {
    const wanted = new Set(findings.filter((one) => one.weight > 0).map((one) => one.step));
    return rowMarks((index) => wanted.has(index), lanesCount, from, shown);
  }, [findings, from, shown, lanesCount]);
  const rows = lanesCount + 1;
  return (
    <section class="studio-timeline grid" aria-label={i18n.text("studio.timeline")}>
      <ul aria-hidden="true">
        {LANES.map((lane) => (
          <li class="size-14" key={lane}>
            {i18n.text(`studio.lane_${lane}`)}
          </li>
        ))}
        {cameras.map((name) => (
          <li class="size-14" key={`camera ${name}`}>
            {i18n.text("studio.lane_camera", { camera: name })}
          </li>
        ))}
        <li class="size-14">{i18n.text("studio.lane_findings")}</li>
      </ul>
      <svg
        class="whole-width"
        viewBox={`0 0 ${WIDTH} ${rows * ROW}`}
        style={{ height: `${rows * ROW}px` }}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {lanes}
        <path class="mark holds" d={looks} />
        <rect class="now" x={x(at) - 1} y={0} width={2} height={rows * ROW} />
      </svg>
      <input
        class="whole-width press"
        type="range"
        min={0}
        max={count - 1}
        value={at}
        aria-label={i18n.text("studio.timeline")}
        aria-valuetext={i18n.text("studio.step", { line: step?.line ?? 0, time: elapsed(step?.t ?? 0) })}
        onInput={(event) => onStep(Number(event.currentTarget.value))}
      />
    </section>
  );
}

/** The marks of a row as one path: a shift has twenty thousand lines, and no two marks stand in one place. */
function rowMarks(isMarked: (index: number) => boolean, row: number, from: number, shown: number): string {
  let path = "";
  let last = -1;
  for (let index = from; index < from + shown; index++) {
    const x = Math.round(((index - from + 0.5) / shown) * WIDTH);
    if (x === last || !isMarked(index)) continue;
    path += `M${x - 1.5} ${row * ROW + 3}h3v${ROW - 6}h-3z`;
    last = x;
  }
  return path;
}

const SPEEDS = [0.25, 1, 2, 5, 20, Number.POSITIVE_INFINITY];
const PAUSE_MAX_S = 3;
const MAX_PACE_MS = 40;
const ZOOM_MAX = 64;

/** The whole page. */
export function Studio() {
  const { i18n, choose } = useLanguage();
  const [files, setFiles] = useState<StudioFileRow[]>([]);
  useEffect(() => {
    if (playedRound) return;
    void ask<StudioFileRow[]>("").then((rows) => {
      setFiles(rows ?? []);
      const asked = rows?.findIndex((row) => row.name === askedFile) ?? -1;
      if (asked > 0) setNumber(asked);
    });
  }, []);
  const [number, setNumber] = useState(playedRound ?? 0);
  const [file, setFile] = useState<StudioFileView | null>(null);
  const [failed, setFailed] = useState<Words | null>(null);
  useEffect(() => {
    let isChosen = true;
    setFile(null);
    setFailed(null);
    void openFile(number).then(({ answer, refusal }) => {
      if (!isChosen) return;
      setFile(answer);
      setFailed(refusal);
    });
    return () => {
      isChosen = false;
    };
  }, [number]);
  if (!i18n) return null;
  return (
    <I18nContext.Provider value={i18n}>
      <div class="studio grid size-15">
        <header>
          <h1 class="hidden-text">{i18n.text("studio.title")}</h1>
          {playedRound ? (
            <b>{i18n.text("studio.round", { round: playedRound })}</b>
          ) : (
            <label>
              {i18n.text("studio.file")}{" "}
              <select
                class="press"
                value={number}
                onChange={(event) => setNumber(Number(event.currentTarget.value))}
              >
                {files.map((row, index) => (
                  <option key={row.name} value={index}>
                    {row.name}
                  </option>
                ))}
              </select>
            </label>
          )}
          {file && file.left_out > 0 && <span>{i18n.text("studio.left", { count: file.left_out })}</span>}
          {file && !file.has_table && <span>{i18n.text("studio.alone")}</span>}
          <span class="spring" />
          {location.pathname === "/replay" && (
            <a class="top-key" href="/">
              {i18n.text("studio.to_table")}
            </a>
          )}
          <LanguageKeys onLanguage={choose} />
        </header>
        {failed && <p role="alert">{i18n.say(failed)}</p>}
        {!file && !failed && <Loading key={number} number={number} name={files[number]?.name ?? ""} />}
        {file?.steps.length === 0 && <p role="status">{i18n.text("studio.empty")}</p>}
        {file && file.steps.length > 0 && <Player key={number} number={number} file={file} i18n={i18n} />}
      </div>
    </I18nContext.Provider>
  );
}

function Player({ number, file, i18n }: { number: number; file: StudioFileView; i18n: I18n }) {
  const [at, setAt] = useState(() => firstStep(file));
  const [zoom, setZoom] = useState(1);
  const [speed, setSpeed] = useState(1);
  const [plays, setPlays] = useState(false);
  const step = useStep(number, at, file.steps.length - 1);
  const pace = SPEEDS[speed] ?? 1;
  useEffect(() => {
    const [here, next] = [file.steps[at], file.steps[at + 1]];
    if (!plays || !here || !next) return setPlays(false);
    const wait = Math.max((Math.min(next.t - here.t, PAUSE_MAX_S) * 1000) / pace, MAX_PACE_MS);
    const timer = setTimeout(() => setAt(at + 1), wait);
    return () => clearTimeout(timer);
  }, [plays, at, pace, file]);
  // With the drawn step, not after it: a key pressed in between would start from the step before.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const to = target(file, at, key, event.shiftKey);
      if (to !== null) setAt(to);
      else if (key === " " && !(event.target as Element).closest("button, summary")) setPlays(!plays);
      else if (key === "+") setSpeed(Math.min(speed + 1, SPEEDS.length - 1));
      else if (key === "-") setSpeed(Math.max(speed - 1, 0));
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [file, at, plays, speed]);
  usePlace(file.name, at);
  const mark = file.steps[at];
  // A table that goes on answers what was played, and keeps no case.
  const keepsCases = file.other_rules.length > 0;
  // The line that the dealer had then.
  const prompt = step?.view.prompts[0];
  const speedName =
    pace === Number.POSITIVE_INFINITY ? "max" : `${i18n.number(pace, Number.isInteger(pace) ? 0 : 2)}×`;
  return (
    <>
      {step && prompt && (
        <main data-step={at} data-shown={step.view.seq}>
          <div class="studio-table grid low">
            <InstructionBar prompt={prompt} detail={prompt.detail} chips={step.view.chips} />
            <div class="felt">
              <FittedTable from="dealer" view={step.view} prompt={prompt} />
            </div>
          </div>
          <aside>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
            <div class="scrolls" tabIndex={0}>
              {!playedRound && <Search number={number} at={at} onStep={setAt} />}
              <Findings findings={file.findings} at={at} onStep={setAt} />
              <Entry step={step} />
              {file.has_seen && <WhatWasSeen number={number} at={at} />}
            </div>
            {file.has_expectation && <AcceptBaseline number={number} otherRules={file.other_rules} />}
            {mark && keepsCases && <KeepCase key={mark.round} number={number} round={mark.round} />}
          </aside>
        </main>
      )}
      <footer>
        <div class="studio-keys">
          <button type="button" class="top-key" aria-pressed={plays} onClick={() => setPlays(!plays)}>
            {i18n.text(plays ? "studio.pause" : "studio.play")}
          </button>
          <button type="button" class="top-key" onClick={() => setSpeed((speed + 1) % SPEEDS.length)}>
            {i18n.text("studio.speed", { speed: speedName })}
          </button>
          <button type="button" class="top-key" onClick={() => setZoom(zoom < ZOOM_MAX ? zoom * 2 : 1)}>
            {i18n.text("studio.zoom")} {zoom}×
          </button>
          <b>{i18n.text("studio.round", { round: playedRound ?? mark?.round ?? 0 })}</b>
          <span data-moment>
            {i18n.text("studio.step", {
              line: mark?.line ?? 0,
              time: moment(mark?.t ?? 0, step?.view.at_utc_us, i18n),
            })}
          </span>
          <span class="spring" />
          <span>
            {i18n.text("studio.keys")}
            {file.cameras.length > 0 && ` · ${i18n.text("studio.keys_pictures")}`}
          </span>
        </div>
        <Timeline file={file} at={at} zoom={zoom} onStep={setAt} />
      </footer>
    </>
  );
}

/** Whether a key belongs to what has the focus: a choice, or a field that is written in. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target instanceof HTMLSelectElement;
}

/**
 * The step that is asked for; the one before stays until it is there, and a late answer is dropped.
 * The next one is asked for as soon as this one is there: a key then waits for the drawing alone.
 */
function useStep(number: number, at: number, last: number): StepView | null {
  const [step, setStep] = useState<StepView | null>(null);
  const ahead = useRef<{ path: string; answer: Promise<StepView | null> } | null>(null);
  useEffect(() => {
    let wanted = true;
    const path = (one: number): string => `/${number}/step/${one}`;
    const known = ahead.current?.path === path(at) ? ahead.current.answer : ask<StepView>(path(at));
    ahead.current = null;
    void known.then((answer) => {
      if (!wanted || !answer) return;
      setStep((was) => sharing(was, answer));
      if (at < last) ahead.current = { path: path(at + 1), answer: ask<StepView>(path(at + 1)) };
    });
    return () => {
      wanted = false;
    };
  }, [number, at, last]);
  return step;
}
