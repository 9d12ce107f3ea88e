// What is worth a look as causes, each with what follows from it.
import type { Finding } from "../view";

export interface Cause {
  finding: Finding;
  /** What was said later in the same round, and the same sentence in other rounds. */
  follows: Finding[];
}

/** One cause for each round, one for what was inferred: a shift has hundreds of those, and none is a fault. */
export function causesOf(findings: readonly Finding[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const finding of findings) {
    const key = finding.weight === 0 ? "inferred" : String(finding.round);
    const cause = causes.get(key);
    if (!cause) causes.set(key, { finding, follows: [] });
    else if (finding.weight > cause.finding.weight) {
      cause.follows.unshift(cause.finding);
      cause.finding = finding;
    } else cause.follows.push(finding);
  }
  return [...causes.values()];
}
