// The list of faults that the demo can show: a tap calls one.
import { useI18n } from "../i18n/context";
import { Dialog } from "../shared/dialog";
import type { FaultRow, Words } from "../view";
import { callFault, stageText } from "./faults";

interface Props {
  faults: readonly FaultRow[];
  off: boolean;
  onRefused: (why: Words) => void;
  onClose: () => void;
}

/** Closes as soon as the simulation has taken the call. */
export function BreakSomething({ faults, off, onRefused, onClose }: Props) {
  const i18n = useI18n();
  const call = (row: FaultRow): void =>
    void callFault(row.fault).then((why) => (why ? onRefused(why) : onClose()));
  return (
    <Dialog title={i18n.text("ui.break_something")} size="medium" onCancel={onClose}>
      <p class="quiet">{i18n.text("ui.break_hint")}</p>
      <ul class="faults grid gap-8">
        {faults.map((row) => (
          <li key={row.fault}>
            <button
              type="button"
              class="plain"
              data-fault={row.fault}
              disabled={off || row.stage === "called"}
              onClick={() => call(row)}
            >
              {i18n.text(`fault.${row.fault}`)}
              <Stage row={row} />
            </button>
          </li>
        ))}
      </ul>
      <div class="dialog-keys">
        <button type="button" class="plain" onClick={onClose}>
          {i18n.text("ui.cancel")}
        </button>
      </div>
    </Dialog>
  );
}

function Stage({ row }: { row: FaultRow }) {
  const i18n = useI18n();
  const stage = row.stage === "stands" ? "ui.fault_put_right" : stageText(row);
  return stage && <small>{i18n.text(stage)}</small>;
}
