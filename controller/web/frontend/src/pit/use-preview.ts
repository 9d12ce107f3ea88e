// What a ruling would change, as the server works it out before anybody signs.
import { useEffect, useRef, useState } from "preact/hooks";
import { preview as askPreview, type Observation } from "../server/commands";
import { askUntilAnswered } from "../server/fetched";
import type { Preview } from "../view";

/** What a ruling is tried out with: no reason moves a card or money. */
export const ANY_REASON = "OTHER";

/** The preview of a fact, null until it comes; asked for again when the fact or the table changes. */
export function usePreview(fact: Observation | null, seq: number): Preview | null {
  const asked = fact && JSON.stringify({ fact, seq });
  const latest = useRef(fact);
  latest.current = fact;
  const [answer, setAnswer] = useState<{ asked: string; preview: Preview } | null>(null);
  useEffect(() => {
    if (!asked || !latest.current) return undefined;
    const fact = latest.current;
    return askUntilAnswered(
      () => askPreview(fact),
      (preview) => setAnswer({ asked, preview }),
    );
  }, [asked]);
  // Never the preview of another choice, not even for the moment until the next one is asked for.
  return answer?.asked === asked ? answer.preview : null;
}
