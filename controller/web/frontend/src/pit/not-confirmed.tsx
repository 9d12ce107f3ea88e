// Payouts that nobody has confirmed: the next bet said that they were paid. Counted, and to be put right.
import { useI18n } from "../i18n/context";
import { bettorName } from "../shared/bettor-name";
import type { TableView } from "../view";
import type { Dialog } from "./dialog-kinds";

interface Props {
  view: TableView;
  off: boolean;
  onOpen: (dialog: Dialog) => void;
}

/** One row: how many there are, the newest by name; the newest that can still be entered by the pit has a key. */
export function NotConfirmed({ view, off, onOpen }: Props) {
  const i18n = useI18n();
  const [newest] = view.unconfirmed;
  if (!newest) return null;
  // The page knows this round and the one before it.
  const known = newest.round >= view.round - 1;
  const { box, seat, round } = newest;
  return (
    <li class="warning" data-unconfirmed={view.unconfirmed_count}>
      <b>▲</b>
      <span>
        {i18n.text("ui.not_confirmed", { count: view.unconfirmed_count })}{" "}
        <small>
          {view.unconfirmed
            .map((one) =>
              i18n.text("ui.not_confirmed_row", {
                round: one.round,
                box: bettorName(one),
                amount: { money: one.amount },
              }),
            )
            .join(" · ")}
        </small>
      </span>
      {known && (
        <button
          type="button"
          class="plain"
          disabled={off}
          onClick={() => onOpen({ open: "entered", at: { fact: "paid", box, seat, round } })}
        >
          {i18n.text("key.PUT_RIGHT")}
        </button>
      )}
    </li>
  );
}
