// A ruling before it is signed: what it would change, and whether the person has seen the table that it changes.
import type { Observation } from "../server/commands";
import type { Preview, TableView } from "../view";
import { type StaleGuard, useStaleGuard } from "./stale-guard";
import { usePreview } from "./use-preview";

/** What a dialog knows of the ruling that is chosen in it. */
export interface Ruling {
  guard: StaleGuard;
  preview: Preview | null;
  /** The preview is of this choice and of the table that was seen, and the rules take it, be it with a dispute. */
  sound: boolean;
  /** Nothing may be confirmed yet: the page is not live, or the preview is on its way. */
  waits: boolean;
}

/** Tries `trial` out on the server, after the rulings in `first`; null where what is chosen changes nothing at the table. */
export function useRuling(
  trial: Observation | null,
  view: TableView,
  off: boolean,
  first: readonly Observation[] = [],
): Ruling {
  const guard = useStaleGuard(view);
  const preview = usePreview(trial ? [...first, trial] : [], view.seq);
  const taken = preview !== null && (preview.disputes || preview.problem === null);
  const fits = trial === null || (taken && preview.seq === guard.seen.seq);
  return {
    guard,
    preview,
    sound: fits && !guard.moved && !off,
    waits: off || (trial !== null && preview?.seq !== view.seq),
  };
}
