// What the shift has come to, in one panel with a page for each question: the payouts, charts, the audit trail.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { CloseKey, Dialog } from "../../shared/dialog";
import type { PayoutRow } from "../../view";
import { AuditPage } from "./audit-page";
import { ChartPage } from "./chart-page";
import { PayoutPage } from "./payout-page";

const PAGES = ["payouts", "charts", "audit"] as const;
export type Page = (typeof PAGES)[number];

interface Props {
  /** Each page is asked for again when the table moves. */
  seq: number;
  /** Whether the pit has signed in to stay: a PIN for one act reads no audit trail. */
  stays: boolean;
  /** Opens the ruling on a payout of the ledger. */
  onPutRight: ((row: PayoutRow) => void) | undefined;
  onCancel: () => void;
}

/** The page keys, and the page that is chosen. */
export function ShiftPanel({ seq, stays, onPutRight, onCancel }: Props) {
  const i18n = useI18n();
  const [page, setPage] = useState<Page>("payouts");
  return (
    <Dialog title={i18n.text("ui.shift_title")} size="wide" onCancel={onCancel}>
      <nav class="pages">
        {PAGES.map((one) => (
          <button
            key={one}
            type="button"
            class="plain"
            data-page={one}
            aria-pressed={one === page}
            onClick={() => setPage(one)}
          >
            {i18n.text(`ui.shift_${one}`)}
          </button>
        ))}
      </nav>
      {page === "payouts" && <PayoutPage seq={seq} onPutRight={onPutRight} />}
      {page === "charts" && <ChartPage seq={seq} />}
      {page === "audit" && stays && <AuditPage seq={seq} />}
      {page === "audit" && !stays && <p class="quiet">{i18n.text("ui.audit_stay")}</p>}
      <CloseKey onClose={onCancel} />
    </Dialog>
  );
}
