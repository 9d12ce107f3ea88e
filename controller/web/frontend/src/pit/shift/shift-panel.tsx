// What the shift has come to, in one panel with a page for each question: the payouts, the audit trail.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { CloseKey, Dialog } from "../../shared/dialog";
import { AuditPage } from "./audit-page";
import { PayoutPage } from "./payout-page";

const PAGES = ["payouts", "audit"] as const;
export type Page = (typeof PAGES)[number];

interface Props {
  /** Each page is asked for again when the table moves. */
  seq: number;
  onCancel: () => void;
}

/** The page keys, and the page that is chosen. */
export function ShiftPanel({ seq, onCancel }: Props) {
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
      {page === "payouts" && <PayoutPage seq={seq} />}
      {page === "audit" && <AuditPage seq={seq} />}
      <CloseKey onClose={onCancel} />
    </Dialog>
  );
}
