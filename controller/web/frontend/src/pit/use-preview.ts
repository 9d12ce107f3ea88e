// What a ruling would change, as the server works it out before anybody signs.
import { useEffect, useRef, useState } from "preact/hooks";
import { preview as askPreview, type Observation } from "../server/commands";
import { askUntilAnswered } from "../server/fetched";
import type { Preview } from "../view";

/** What a ruling is tried out with: no reason moves a card or money. */
export const ANY_REASON = "OTHER";

/** The preview of facts on one round, null until it comes; asked for again when a fact or the table changes. */
export function usePreview(facts: readonly Observation[], seq: number): Preview | null {
  const asked = facts.length > 0 ? JSON.stringify({ facts, seq }) : null;
  const latest = useRef(facts);
  latest.current = facts;
  const [answer, setAnswer] = useState<{ asked: string; preview: Preview } | null>(null);
  useEffect(() => {
    const fact = latest.current.at(-1);
    if (!asked || !fact) return undefined;
    const first = latest.current.slice(0, -1);
    return askUntilAnswered(
      () => askPreview(fact, first),
      (preview) => setAnswer({ asked, preview }),
    );
  }, [asked]);
  // Never the preview of another choice, not even for the moment until the next one is asked for.
  return answer?.asked === asked ? answer.preview : null;
}
