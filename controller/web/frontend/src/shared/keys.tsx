// Keys of the page and of the keyboard: small keys, hotkeys, languages, lists of names, and the guard against a tap that comes too late.

import type { ButtonHTMLAttributes } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { LANGUAGE_NAMES, LANGUAGES, type Language, useI18n } from "../i18n/i18n";

const NAMES: Record<string, string> = { Enter: "↵", Backspace: "⌫", Escape: "Esc" };

/** "↵" for Enter, "D" for d. */
export const keyName = (key: string): string => NAMES[key] ?? key.toUpperCase();

/** Letters of the chips, smallest first: side by side under one hand. */
export const CHIP_KEYS: readonly string[] = ["f", "g", "h", "j", "k"];

function wantsText(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function actsItself(event: KeyboardEvent): boolean {
  const focused = event.target instanceof Element ? event.target.closest("button, [role=button]") : null;
  if (!focused) return false;
  // Enter belongs to the main key where a press lays a chip: a pedal must never add one.
  return event.key === " " || (event.key === "Enter" && !focused.matches("[data-chip], [data-space-only]"));
}

/** A finger must not leave the focus behind: the next Enter of a pedal would press that button once more. */
function dropFocus(event: MouseEvent): void {
  const focused = document.activeElement;
  if (
    event.detail > 0 &&
    !wantsText(focused) &&
    (focused instanceof HTMLElement || focused instanceof SVGElement)
  ) {
    focused.blur();
  }
}

/** Calls `press` with the key's name ("Enter", "d", "7"); its answer says whether the key was meant for us. */
export function useHotkeys(press: (key: string) => boolean): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (wantsText(event.target) || actsItself(event)) return;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (latest.current(name)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    addEventListener("click", dropFocus);
    return () => {
      removeEventListener("keydown", listen);
      removeEventListener("click", dropFocus);
    };
  }, []);
}

const REST_MS = 350;
const DOUBLE_MS = 250;

/** What becomes of a press: it counts, the key has just changed, or it is the second of a double tap. */
type Admission = "counts" | "resting" | "twice";

/** Decides whether a press counts. */
export interface PressGuard {
  /** A press of `key` that may act now counts as pressed. */
  admit(key: string): Admission;
  /** Whether the key has just changed: for what may be tapped as quickly as one likes, such as chips. */
  rests(key: string): boolean;
}

/** What each key would do, in the order in which they stand on the screen. */
type Meanings = readonly (readonly [key: string, meaning: string])[];

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

type KeyProps = ButtonHTMLAttributes<HTMLButtonElement>;

/** A key of a dialog; in a form it sends nothing. */
export const PlainKey = (props: KeyProps) => <button type="button" class="plain" {...props} />;

/** A key of a bar or a list. */
export const SmallKey = (props: KeyProps) => <button type="button" class="key-small" {...props} />;

/** The key of the language in use is pressed. */
export function LanguageKeys({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const i18n = useI18n();
  return (
    <fieldset class="languages flex" aria-label={i18n.text("ui.language")}>
      {LANGUAGES.map((language) => (
        <button
          key={language}
          type="button"
          class={language === i18n.language ? "top-key on" : "top-key"}
          data-language={language}
          aria-pressed={language === i18n.language}
          aria-label={`${language.toUpperCase()}, ${LANGUAGE_NAMES[language]}`}
          onClick={() => onLanguage(language)}
        >
          {language.toUpperCase()}
        </button>
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  /** Key of the text that says what is chosen. */
  name: string;
  /** What is written for the file's own, whose value is empty. */
  own: string;
  names: readonly string[];
  value: string;
  onValue: (value: string) => void;
}

/** A list to choose from. */
export function Choice({ name, own, names, value, onValue }: ChoiceProps) {
  const i18n = useI18n();
  return (
    <select
      aria-label={i18n.text(name)}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      <option value="">{own}</option>
      {names.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
