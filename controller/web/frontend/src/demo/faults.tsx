// The demo's faults: what can be broken, and what stands on the felt meanwhile.

import { useI18n } from "../i18n/i18n";
import { Dialog } from "../shared/dialog";
import { PlainKey } from "../shared/keys";
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
function stageText({ stage, as_planned: asPlanned }: FaultRow): string | null {
  if (stage === "ready") return null;
  if (stage !== "mended" || asPlanned === null) return `ui.fault_${stage}`;
  return asPlanned ? "ui.fault_paid" : "ui.fault_paid_otherwise";
}

/** The fault that stands, else the one that is called, else the one that was mended last. */
export function FaultNote({ faults }: { faults: readonly FaultRow[] }) {
  const i18n = useI18n();
  const found = (["stands", "called", "mended"] as const).map((stage) =>
    faults.find((row) => row.stage === stage),
  );
  const row = found.find((one) => one !== undefined);
  const stage = row && stageText(row);
  if (!row || !stage) return null;
  return (
    <p class="fault-note grid size-16" data-fault={row.fault} data-stage={row.stage} role="status">
      <b>{i18n.text(`fault.${row.fault}`)}</b>
      <span>{i18n.text(stage)}</span>
    </p>
  );
}

interface BreakSomethingProps {
  faults: readonly FaultRow[];
  off: boolean;
  onRefused: (why: Words) => void;
  onClose: () => void;
}

/** Closes as soon as the simulation has taken the call. */
export function BreakSomething({ faults, off, onRefused, onClose }: BreakSomethingProps) {
  const i18n = useI18n();
  const call = (row: FaultRow): void =>
    void callFault(row.fault).then((why) => (why ? onRefused(why) : onClose()));
  return (
    <Dialog title={i18n.text("ui.break_something")} size="medium" onCancel={onClose}>
      <p class="quiet">{i18n.text("ui.break_hint")}</p>
      <ul class="faults grid gap-8">
        {faults.map((row) => (
          <li key={row.fault}>
            <PlainKey
              data-fault={row.fault}
              disabled={off || row.stage === "called"}
              onClick={() => call(row)}
            >
              {i18n.text(`fault.${row.fault}`)}
              <Stage row={row} />
            </PlainKey>
          </li>
        ))}
      </ul>
      <div class="dialog-keys">
        <PlainKey onClick={onClose}>{i18n.text("ui.cancel")}</PlainKey>
      </div>
    </Dialog>
  );
}

function Stage({ row }: { row: FaultRow }) {
  const i18n = useI18n();
  const stage = row.stage === "stands" ? "ui.fault_put_right" : stageText(row);
  return stage && <small>{i18n.text(stage)}</small>;
}
