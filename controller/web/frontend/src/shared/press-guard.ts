// Input guards: a key that has just changed its meaning rests, and a double tap counts once.
import { useRef } from "preact/hooks";

const REST_MS = 350;
const DOUBLE_MS = 250;

/** What becomes of a press: it counts, the key has just changed, or it is the second of a double tap. */
export type Admission = "counts" | "resting" | "twice";

/** Decides whether a press counts. */
export interface PressGuard {
  /** A press of `key` that may act now counts as pressed. */
  admit(key: string): Admission;
  /** Whether the key has just changed: for what may be tapped as quickly as one likes, such as chips. */
  rests(key: string): boolean;
}

/** What each key would do, in the order in which they stand on the screen. */
export type Meanings = readonly (readonly [key: string, meaning: string])[];

interface Pressed {
  meanings: ReadonlyMap<string, string>;
  restUntil: Map<string, number>;
  pressed: Map<string, number>;
}

/**
 * A key rests while others stay where they are and only it changes; where keys come, go or move, all of them rest.
 * So several boxes can be answered one right after the other.
 */
export function usePressGuard(meanings: Meanings): PressGuard {
  const state = useRef<Pressed | null>(null);
  const before = state.current;
  const now = new Map(meanings);
  if (!before) state.current = { meanings: now, restUntil: new Map(), pressed: new Map() };
  else {
    rest(before, now);
    before.meanings = now;
  }
  return {
    admit: (key) => admit(state.current, key),
    rests: (key) => performance.now() < (state.current?.restUntil.get(key) ?? 0),
  };
}

function rest(before: Pressed, now: ReadonlyMap<string, string>): void {
  const moved = [...before.meanings.keys()].join() !== [...now.keys()].join();
  const until = performance.now() + REST_MS;
  for (const [key, meaning] of now) {
    if (moved || before.meanings.get(key) !== meaning) before.restUntil.set(key, until);
  }
}

function admit(state: Pressed | null, key: string): Admission {
  if (!state) return "resting";
  const at = performance.now();
  if (at < (state.restUntil.get(key) ?? 0)) return "resting";
  if (at - (state.pressed.get(key) ?? Number.NEGATIVE_INFINITY) < DOUBLE_MS) return "twice";
  state.pressed.set(key, at);
  return "counts";
}
