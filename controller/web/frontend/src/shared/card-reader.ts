// A staff card's reader: a keyboard to the tablet, which types a prefix, the card's number, and Enter.
import { useEffect, useRef } from "preact/hooks";

/** A reader types a number in a tenth of a second; a hand that pauses longer than this types for itself. */
const GAP_MS = 400;
const NUMBER_MAX = 64;

/**
 * Calls `onCard` with each number that a reader types. Its keys reach nothing else on the page: a digit of a card must
 * not bet on a box. Without a prefix nothing is taken for a card.
 */
export function useCardReader(prefix: string, onCard: (number: string) => void): void {
  const latest = useRef(onCard);
  latest.current = onCard;
  useEffect(() => {
    if (prefix === "") return undefined;
    let typed: string | null = null;
    let lastMs = 0;
    const listen = (event: KeyboardEvent): void => {
      const nowMs = performance.now();
      if (typed !== null && nowMs - lastMs > GAP_MS) typed = null;
      lastMs = nowMs;
      if (typed === null && event.key !== prefix) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === "Enter") {
        const number = typed ?? "";
        typed = null;
        if (number !== "") latest.current(number);
      } else if (typed === null) typed = "";
      else if (event.key.length === 1 && typed.length < NUMBER_MAX) typed += event.key;
    };
    addEventListener("keydown", listen, { capture: true });
    return () => removeEventListener("keydown", listen, { capture: true });
  }, [prefix]);
}
