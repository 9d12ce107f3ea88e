// The file and the step that the address names, so that a place can be sent to a colleague.
import { useEffect } from "preact/hooks";
import { firstCard } from "../floor/use-played";
import type { StudioFileView } from "../view";

/** A browser refuses more than some hundred changes of its address in half a minute. */
const PAUSE_MS = 300;

const asked = new URLSearchParams(location.search);

/** The name of the file that the address asks for; null where it asks for none. */
export const askedFile = asked.get("file");

/**
 * The step to begin with: the one that the address names, else the first card.
 * Before a card nothing lies on the table, and nobody sees what he has opened.
 */
export function firstStep(file: StudioFileView): number {
  const { name, steps } = file;
  const step = Number(asked.get("step"));
  const named = asked.has("step") && (askedFile === null || askedFile === name);
  if (named && step >= 0 && step < steps.length) return step;
  return firstCard(file);
}

/** Keeps the place in the address while somebody goes through a file. */
export function usePlace(name: string, at: number): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      query.set("file", name);
      query.set("step", String(at));
      history.replaceState(null, "", `${location.pathname}?${query}`);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, at]);
}
