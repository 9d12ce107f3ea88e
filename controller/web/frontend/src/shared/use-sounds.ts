// When a screen is heard: what its person has to notice, and again until he has.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Prompt, TableView } from "../view";
import { keepSounds, keptSounds, play, type Sound, wakeSpeaker } from "./sounds";

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
