// What the page asks of the simulation: a fault on purpose and how its stage is said, its speed.
import type { FaultBody, FaultRow, SpeedBody, Words } from "../view";

/**
 * Asks the simulation for a fault; why it cannot be shown, null where it can. With `left` the simulated pit
 * leaves it to a person.
 */
export const callFault = (fault: FaultBody["fault"], left = false): Promise<Words | null> =>
  ask("/api/faults", { fault, left } satisfies FaultBody);

/** Lets the simulation play so many times as fast as people do, 0 to pause. */
export const playAt = (speed: number): Promise<Words | null> =>
  ask("/api/speed", { speed } satisfies SpeedBody);

async function ask(path: string, body: object): Promise<Words | null> {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    });
    return answer.ok ? null : ((await answer.json()) as Words);
  } catch {
    return { code: "ui.no_answer", params: {} };
  }
}

/** The text of where a fault stands; null for one that has not been called. */
export function stageText({ stage, as_planned: asPlanned }: FaultRow): string | null {
  if (stage === "ready") return null;
  if (stage !== "mended" || asPlanned === null) return `ui.fault_${stage}`;
  return asPlanned ? "ui.fault_paid" : "ui.fault_paid_otherwise";
}
