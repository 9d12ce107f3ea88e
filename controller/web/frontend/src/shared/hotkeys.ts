// One listener for the keyboard, a key pad or a pedal (to the system all three are keyboards).
import { useEffect, useRef } from "preact/hooks";

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
