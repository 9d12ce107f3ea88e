// The fault that the demo shows just now, named beside the table.
import { useI18n } from "../i18n/context";
import type { FaultRow } from "../view";
import { stageText } from "./faults";

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
