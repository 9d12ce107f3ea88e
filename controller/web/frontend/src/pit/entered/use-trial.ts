// A truth is tried out as soon as it is whole, and again whenever it changes.
import { useEffect, useRef } from "preact/hooks";
import type { Observation } from "../../server/commands";

/** Hands over `fact` when it is another than before, or null while nothing can be tried. */
export function useTrial(fact: Observation | null, onTrial: (fact: Observation | null) => void): void {
  const latest = useRef(onTrial);
  latest.current = onTrial;
  const trial = JSON.stringify(fact);
  useEffect(() => latest.current(JSON.parse(trial) as Observation | null), [trial]);
}
