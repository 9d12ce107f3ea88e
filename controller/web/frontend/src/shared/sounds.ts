// The sounds of a page, and when each is played.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Prompt, TableView } from "../view";

/** What can be heard: the first three at the dealer's screen, the last two at the pit's. */
export const SOUNDS = ["confirm", "stop", "card", "critical", "warning"] as const;
type Sound = (typeof SOUNDS)[number];

/** The dealer's are heard by the players, so they are chosen; a pit that hears nothing overlooks an alert. */
const ON_AT_FIRST: readonly Sound[] = ["critical", "warning"];
const KEPT = "stand17.sounds";
const VIBRATION_MS = 40;
const EDGE_S = 0.004;

/** One tone: when it begins after the sound has, its pitch and its length. */
interface Note {
  at_s: number;
  hz: number;
  length_s: number;
}

const note = (atMs: number, hz: number, lengthMs: number): Note => ({
  at_s: atMs / 1000,
  hz,
  length_s: lengthMs / 1000,
});

/** Two rising notes, three pulses, a tick; for the pit two notes or one. */
const NOTES: Record<Sound, readonly Note[]> = {
  confirm: [note(0, 660, 80), note(80, 880, 80)],
  stop: [note(0, 440, 120), note(240, 440, 120), note(480, 440, 120)],
  card: [note(0, 1200, 12)],
  critical: [note(0, 880, 160), note(200, 660, 160)],
  warning: [note(0, 660, 160)],
};

/** The sounds that are switched on at this device. */
export function keptSounds(): ReadonlySet<Sound> {
  const kept = localStorage.getItem(KEPT);
  const names = kept === null ? ON_AT_FIRST : kept.split(" ");
  return new Set(SOUNDS.filter((sound) => names.includes(sound)));
}

/** Remembers which are on, for the next start too. */
function keepSounds(on: ReadonlySet<Sound>): void {
  localStorage.setItem(KEPT, [...on].join(" "));
}

let speaker: AudioContext | null = null;

/** Makes the speaker ready; browsers allow it only once somebody has touched the page. */
function wakeSpeaker(): void {
  // Without one the screen is silent; each sound has its sign on the page.
  if (!("AudioContext" in window)) return;
  speaker ??= new AudioContext();
  if (speaker.state === "suspended") void speaker.resume();
}

/** Plays a sound as loud as the house has it; nothing is heard before the page was touched. */
export function play(sound: Sound, percent: number): void {
  navigator.vibrate?.(VIBRATION_MS);
  if (speaker?.state !== "running" || percent === 0) return;
  const begin = speaker.currentTime;
  for (const one of NOTES[sound]) tone(speaker, one, begin, percent / 100);
}

function tone(
  context: AudioContext,
  { at_s: at, hz, length_s: length }: Note,
  begin: number,
  volume: number,
) {
  const source = new OscillatorNode(context, { frequency: hz });
  const gain = new GainNode(context, { gain: 0 });
  const start = begin + at;
  // Short slopes: a tone that begins at once clicks.
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(volume, start + EDGE_S);
  gain.gain.setValueAtTime(volume, start + length - EDGE_S);
  gain.gain.linearRampToValueAtTime(0, start + length);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + length);
}

const STOP_AGAIN_MS = 4000;
const CRITICAL_AGAIN_MS = 10_000;

/** The sounds of this device: which are on, and how one is switched. */
export interface Sounds {
  on: ReadonlySet<Sound>;
  toggle: (sound: Sound) => void;
}

interface Heard {
  view: TableView;
  prompt: Prompt;
  live: boolean;
  pit: boolean;
  /** The pit hears the alerts of all tables, and this one's among them. */
  hearsAll: boolean;
}

/** Plays what the view asks for at the dealer's screen, or at the pit's while the pit works at it. */
export function useSounds({ view, prompt, live, pit, hearsAll }: Heard): Sounds {
  const [on, setOn] = useState(keptSounds);
  const percent = view.sound_percent;
  useSpeaker();
  const sound = (name: Sound): void => {
    if (on.has(name)) play(name, percent);
  };
  useAgain(!pit && isStopped(view, prompt, live), () => sound("stop"), STOP_AGAIN_MS);
  useChanged(!pit && live && asks(prompt) ? JSON.stringify(prompt.line) : "", () => sound("confirm"));
  useMore(pit ? 0 : cardsOf(view), () => sound("card"));
  useAgain(
    pit && live && !hearsAll && view.alerts.some(isCritical),
    () => sound("critical"),
    CRITICAL_AGAIN_MS,
  );
  useMore(pit && !hearsAll ? newestWarning(view) : 0, () => sound("warning"));
  const toggle = (name: Sound): void => {
    const next = new Set(on);
    if (!next.delete(name)) {
      next.add(name);
      play(name, percent);
    }
    keepSounds(next);
    setOn(next);
  };
  return { on, toggle };
}

function useSpeaker(): void {
  useEffect(() => {
    addEventListener("pointerdown", wakeSpeaker);
    addEventListener("keydown", wakeSpeaker);
    return () => {
      removeEventListener("pointerdown", wakeSpeaker);
      removeEventListener("keydown", wakeSpeaker);
    };
  }, []);
}

/** Nothing may be dealt and nobody has called the pit yet; a screen that is not live may be of such a table. */
function isStopped(view: TableView, prompt: Prompt, live: boolean): boolean {
  const called = view.holds.some(({ code }) => code === "FROZEN");
  return !live || (prompt.tone === "stop" && !called);
}

const asks = (prompt: Prompt): boolean => prompt.pad_opens || prompt.line.code === "line.STAKE_DIFFERS";

/** Cards that the table has taken in; one that nobody has read is a question. */
function cardsOf({ boxes, dealer }: TableView): number {
  const cards = [...dealer.cards, ...boxes.flatMap((box) => box.hands.flatMap((hand) => hand.cards))];
  return cards.filter((card) => "hidden" in card || card.rank !== null).length;
}

const isCritical = (alert: TableView["alerts"][number]): boolean =>
  alert.severity === "critical" && alert.status === "open";

const newestWarning = ({ alerts }: TableView): number =>
  Math.max(0, ...alerts.filter((one) => !isCritical(one) && one.status === "open").map((one) => one.alert));

/** Calls `act` when `holds` begins to be so, and again every so many milliseconds while it is. */
function useAgain(holds: boolean, act: () => void, everyMs: number): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!holds) return undefined;
    latest.current();
    const timer = setInterval(() => latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [holds, everyMs]);
}

/** Calls `act` when the text becomes another one that is not empty. */
function useChanged(text: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (text !== "") latest.current();
  }, [text]);
}

/** Calls `act` when the number has grown since the last view; not for what was there from the beginning. */
function useMore(count: number, act: () => void): void {
  const before = useRef(count);
  useEffect(() => {
    if (count > before.current) act();
    before.current = count;
  });
}
