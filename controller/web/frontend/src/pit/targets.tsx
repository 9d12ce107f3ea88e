// Where a card belongs in truth: the dealer, a box, or one hand of a split box.
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";

const FIRST_LETTER = 64;

/** A hand of a box; the dealer is box 0. */
export interface Place {
  box: number;
  hand: number;
}

/** The dealer's number among the boxes. */
export const DEALER = 0;

interface Props {
  view: TableView;
  chosen: Place | null;
  onChoose: (place: Place) => void;
}

/** A key for the dealer and for every hand in play. */
export function Targets({ view, chosen, onChoose }: Props) {
  const i18n = useI18n();
  return (
    <div class="targets">
      {places(view).map(({ name, label, ...place }) => (
        <button
          key={name}
          type="button"
          aria-label={place.box === DEALER ? i18n.text("ui.dealer") : i18n.text("ui.box_hand", { ...place })}
          aria-pressed={chosen?.box === place.box && chosen.hand === place.hand}
          data-target={name}
          onClick={() => onChoose(place)}
        >
          {label ?? i18n.text("ui.dealer")}
        </button>
      ))}
    </div>
  );
}

interface Target extends Place {
  name: string;
  label: string | null;
}

/** The dealer, then every hand in play; the hands of a split box carry the letters that the line uses. */
function places(view: TableView): Target[] {
  const dealer: Target = { box: DEALER, hand: 1, name: String(DEALER), label: null };
  const boxes = view.boxes.filter((box) => box.stake !== null);
  const hands = boxes.flatMap(({ box, hands }): Target[] => {
    if (hands.length < 2) return [{ box, hand: 1, name: String(box), label: String(box) }];
    return hands.map(({ hand }) => ({
      box,
      hand,
      name: `${box}.${hand}`,
      label: box + String.fromCharCode(FIRST_LETTER + hand),
    }));
  });
  return [dealer, ...hands];
}
