// What people have entered of a round, asked for while a ruling on it is open.
import { useEffect, useState } from "preact/hooks";
import type { RulingFacts } from "../view";
import { askUntilAnswered, fetchJson } from "./fetched";

/**
 * The facts of the table at `seq`, with those of the closed round of this number; null until they come, asked for again
 * when the table moves.
 */
export function useFacts(seq: number, round: number): RulingFacts | null {
  const [facts, setFacts] = useState<RulingFacts | null>(null);
  useEffect(
    () => askUntilAnswered(() => fetchJson<RulingFacts>(`/api/facts?after=${seq}&round=${round}`), setFacts),
    [seq, round],
  );
  return facts;
}
