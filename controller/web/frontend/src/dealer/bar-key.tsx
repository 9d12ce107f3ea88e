// A key of the bottom bar: always in its place, with its reason when it is off, its letter in the corner.
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { keyName } from "../shared/key-name";
import type { Key } from "../view";

const HOLD_MS = 600;

interface Props {
  item: Key;
  sent: boolean;
  off: boolean;
  onPress: (item: Key) => void;
}

const look = (item: Key): string =>
  [
    "key",
    item.main && "main",
    item.key === "CALL_PIT" && "call",
    isFixed(item) && !item.main && "fixed",
    item.pressed && "on",
  ]
    .filter(Boolean)
    .join(" ");

/** Undo and Call pit have their own corner and never move. */
export const isFixed = (item: Key): boolean => item.key === "UNDO" || item.key === "CALL_PIT";

/**
 * One key. One that is off is left out by Tab but can be tapped: the tap says why. Call pit wants a long press of a finger wherever it is not the main key; the keyboard is
 * deliberate enough.
 */
export function BarKey({ item, sent, off, onPress }: Props) {
  const i18n = useI18n();
  const label = i18n.say(item.label);
  const note = sent ? i18n.text("ui.sent") : item.note ? i18n.say(item.note) : "";
  const hold = useHold(() => onPress(item));
  const hotkey = item.hotkeys[0];
  const slow = item.key === "CALL_PIT" && !item.main;
  const press = (event: MouseEvent): void => {
    if (!slow || event.detail === 0) onPress(item);
  };
  return (
    <button
      type="button"
      class={`fill clip within ground-2 edge-key rounded ${look(item)}${hold.held ? " held" : ""}`}
      data-key={item.key}
      disabled={off}
      aria-disabled={item.enabled ? undefined : true}
      tabIndex={item.enabled ? undefined : -1}
      aria-pressed={item.pressed ?? undefined}
      aria-keyshortcuts={item.hotkeys.join(" ") || undefined}
      onClick={press}
      onPointerDown={slow ? hold.begin : undefined}
      onPointerUp={slow ? hold.end : undefined}
      onPointerLeave={slow ? hold.end : undefined}
    >
      {hotkey && (
        <kbd class="edge" aria-hidden="true">
          {keyName(hotkey)}
        </kbd>
      )}
      <span class="key-text row centred whole-width whole-height weight-750 to-middle">
        <span class="key-label">{label}</span>
        {note && <small>{note}</small>}
      </span>
    </button>
  );
}

function useHold(done: () => void): { held: boolean; begin: () => void; end: () => void } {
  const [held, setHeld] = useState(false);
  const timer = useRef<number>(0);
  const end = (): void => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const begin = (): void => {
    setHeld(true);
    timer.current = setTimeout(() => {
      setHeld(false);
      done();
    }, HOLD_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { held, begin, end };
}
