// Input guards: a key that has just changed its meaning rests, and a double tap counts once.
import { useRef } from "preact/hooks";

const REST_MS = 350;
const DOUBLE_MS = 250;

/** Decides whether a press counts. */
export interface PressGuard {
  /** True when a press of `key` may act now; it then counts as pressed. */
  admit(key: string): boolean;
}

/** `meaning` changes whenever the keys mean something else. */
export function usePressGuard(meaning: string): PressGuard {
  const state = useRef({ meaning: "", restUntil: 0, pressed: new Map<string, number>() });
  const now = performance.now();
  if (state.current.meaning !== meaning) {
    state.current.restUntil = state.current.meaning === "" ? 0 : now + REST_MS;
    state.current.meaning = meaning;
  }
  return {
    admit(key) {
      const at = performance.now();
      const before = state.current.pressed.get(key) ?? -Infinity;
      if (at < state.current.restUntil || at - before < DOUBLE_MS) return false;
      state.current.pressed.set(key, at);
      return true;
    },
  };
}
