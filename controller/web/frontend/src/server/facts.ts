// What people have told of a round, asked for while a ruling on it is open.
import { useEffect, useState } from "preact/hooks";
import type { RulingFacts } from "../view";
import { at } from "./base";

/**
 * The facts of the table at `seq`, with those of the closed round of this number; null until they come, asked for again
 * when the table moves.
 */
export function useFacts(seq: number, round: number): RulingFacts | null {
  const [facts, setFacts] = useState<RulingFacts | null>(null);
  useEffect(() => {
    let wanted = true;
    void fetchFacts(seq, round).then((found) => wanted && found && setFacts(found));
    return () => {
      wanted = false;
    };
  }, [seq, round]);
  return facts;
}

async function fetchFacts(seq: number, round: number): Promise<RulingFacts | null> {
  try {
    const answer = await fetch(at(`/api/facts?after=${seq}&round=${round}`), {
      signal: AbortSignal.timeout(5000),
    });
    return answer.ok ? ((await answer.json()) as RulingFacts) : null;
  } catch {
    return null;
  }
}
