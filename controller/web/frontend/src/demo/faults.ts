// Faults that the demo shows on purpose: calling one, and how its stage is said.
import type { FaultBody, FaultRow, Words } from "../view";

/** Asks the simulation for a fault; why it cannot be shown, null where it can. */
export async function callFault(fault: FaultBody["fault"]): Promise<Words | null> {
  try {
    const answer = await fetch("/api/faults", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ fault } satisfies FaultBody),
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
