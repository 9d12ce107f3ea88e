// Who bets on the chosen box: its holder and those behind, each a key of its own.
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";
import { type Selection, seatsOf } from "./selection";

interface Props {
  view: TableView;
  selection: Selection;
  onChoose: (selection: Selection) => void;
}

/** One key for each bettor of the box with what lies there; the chosen one gets the chips. */
export function SeatList({ view, selection, onChoose }: Props) {
  const i18n = useI18n();
  const { box } = selection;
  const lying = view.boxes.find((one) => one.box === box)?.seats ?? [];
  return (
    <fieldset class="seats flex gap-8 edge rounded" aria-label={i18n.text("ui.seats", { box })}>
      {seatsOf(box, view).map((seat) => {
        const stake = lying.find((one) => one.seat === seat)?.stake;
        return (
          <button
            key={seat}
            type="button"
            class={
              seat === selection.seat
                ? "seat on row centred size-19 weight-650 ground-2 edge-key round-10"
                : "seat row centred size-19 weight-650 ground-2 edge-key round-10"
            }
            data-seat={seat}
            aria-pressed={seat === selection.seat}
            onClick={() => onChoose({ box, seat })}
          >
            <span>{seat === 0 ? i18n.text("ui.holder") : i18n.text("ui.seat_behind", { seat })}</span>
            <b>{stake === undefined ? "–" : i18n.money(stake)}</b>
          </button>
        );
      })}
    </fieldset>
  );
}
