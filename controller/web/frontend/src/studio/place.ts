// The file and the step that the address names, so that a place can be sent to a colleague.
import { useEffect } from "preact/hooks";
import type { StudioFileView } from "../view";

/** A browser refuses more than some hundred changes of its address in half a minute. */
const PAUSE_MS = 300;

const asked = new URLSearchParams(location.search);

/** The name of the file that the address asks for; null where it asks for none. */
export const askedFile = asked.get("file");

/**
 * The step to begin with: the one that the address names, else the first card, of the last round after "#last".
 * Before a card nothing lies on the table, and nobody sees what he has opened.
 */
export function firstStep({ name, steps }: StudioFileView): number {
  const step = Number(asked.get("step"));
  const named = asked.has("step") && (askedFile === null || askedFile === name);
  if (named && step >= 0 && step < steps.length) return step;
  const last = steps.at(-1)?.round;
  const begins = location.hash === "#last" ? steps.findIndex((one) => one.round === last) : 0;
  const card = steps.findIndex((one, index) => index >= begins && one.what === "card");
  return card < 0 ? begins : card;
}

/** Keeps the place in the address while somebody goes through a file. */
export function usePlace(name: string, at: number): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      query.set("file", name);
      query.set("step", String(at));
      history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, at]);
}
