// What covers a screen that has not heard from the table: nothing on it can be trusted any more.
import { useEffect, useId, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";
import { useOpened } from "./dialog";
import { Icon } from "./icon";

const PATIENCE_MS = 2500;

/** NOT LIVE, and when the table was last heard; without a view the page is still connecting. */
export function NotLive({ view }: { view: TableView | null }) {
  const i18n = useI18n();
  const heading = useId();
  // Modal, to lie over an open dialog as well, and to take every key and tap from a table that nobody can see.
  const dialog = useOpened("modal");
  const since = view && i18n.text("ui.last_update", { time: i18n.clock(view.at_utc_us) });
  // Nothing was lost before the first state, which usually comes within a blink.
  const [quiet, setQuiet] = useState(view === null);
  useEffect(() => {
    const late = setTimeout(() => setQuiet(false), PATIENCE_MS);
    return () => clearTimeout(late);
  }, []);
  return (
    <dialog
      ref={dialog}
      class="not-live whole-width whole-height"
      data-tone={quiet ? "push" : "stop"}
      role="alertdialog"
      aria-modal="true"
      aria-labelledby={heading}
      tabIndex={-1}
      closedby="none"
      onCancel={(event) => event.preventDefault()}
      onClose={(event) => stayOpen(event.currentTarget)}
    >
      <div class="instruction-bar grid low ground-1">
        <div class="instruction-icon centre">
          <Icon icon={quiet ? "eye" : "stop"} />
        </div>
        <div class="instruction-line stack slim">
          <h1 class="weight-800" id={heading}>
            {i18n.text(quiet ? "ui.connecting" : "line.NOT_LIVE")}
          </h1>
          <p>{since ?? (quiet ? "" : i18n.text("ui.connecting"))}</p>
        </div>
      </div>
    </dialog>
  );
}

/** Browsers that do not know `closedby` close a dialog on the second Escape, whatever was said to the first. */
function stayOpen(dialog: HTMLDialogElement): void {
  if (dialog.isConnected && !dialog.open) dialog.showModal();
}
