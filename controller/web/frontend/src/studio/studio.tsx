// The tester's screen: files and their rounds, the table as it was, the line beside it, the time line below.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { I18nContext } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import { useLanguage } from "../i18n/language";
import { FittedTable } from "../shared/fitted-table";
import { InstructionBar } from "../shared/instruction-bar";
import { LanguageKeys } from "../shared/language-keys";
import type { StepView, StudioFileRow, StudioFileView, Words } from "../view";
import { AcceptBaseline } from "./accept-baseline";
import { Entry, Findings, Search } from "./beside";
import { ask, openFile, playedRound } from "./bodies";
import { KeepCase } from "./keep-case";
import { Loading } from "./loading";
import { moment } from "./moment";
import { askedFile, firstStep, usePlace } from "./place";
import { sharing } from "./shared-parts";
import { target } from "./stepping";
import { Timeline } from "./timeline";
import { WhatWasSeen } from "./what-was-seen";

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
