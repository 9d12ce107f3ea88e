// What a pit user looked at when the dialog opened. A ruling counts for that table, and for no later one unasked.
import { useState } from "preact/hooks";
import { handLabel } from "../felt/hand";
import type { HandView, TableView } from "../view";
import type { Speech } from "../words";
import { ranks } from "./preview";

export interface Sight {
  /** The table as it was last confirmed by the person. */
  seen: TableView;
  moved: boolean;
  confirm: () => void;
}

/** Holds the table of the moment in which the dialog opened, until the person confirms a newer one. */
export function useSight(view: TableView): Sight {
  const [seen, setSeen] = useState(view);
  return { seen, moved: seen.seq !== view.seq, confirm: () => setSeen(view) };
}

interface Props {
  sight: Sight;
  view: TableView;
  by: string;
  off: boolean;
  speech: Speech;
}

/** Says that the table has moved and what has changed, and asks for the signature again. */
export function TableMoved({ sight, view, by, off, speech }: Props) {
  if (!sight.moved) return null;
  const changes = changedHands(sight.seen, view, speech);
  return (
    <div class="moved" role="alert">
      <p class="problem">{speech.text("ui.table_moved", { was: sight.seen.seq, now: view.seq })}</p>
      <ul>
        {changes.map(([place, change]) => (
          <li key={place} data-moved={place}>
            {change}
          </li>
        ))}
        {changes.length === 0 && <li>{speech.text("ui.no_hand_changed")}</li>}
      </ul>
      <button type="button" class="plain" data-key="SIGN_AGAIN" disabled={off} onClick={sight.confirm}>
        {speech.text("ui.sign_again", { by })}
      </button>
    </div>
  );
}

function changedHands(was: TableView, now: TableView, speech: Speech): [string, string][] {
  const old = looks(was, speech);
  const present = looks(now, speech);
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((place): [string, string][] => {
    const [before, after] = [old.get(place), present.get(place)];
    const name = before?.name ?? after?.name ?? place;
    return before?.look === after?.look
      ? []
      : [[place, `${name}: ${before?.look ?? "–"} → ${after?.look ?? "–"}`]];
  });
}

interface Look {
  name: string;
  look: string;
}

/** Every hand as the pit reads it: cards, then total or result; the dealer's is place "0.1". */
function looks(view: TableView, speech: Speech): Map<string, Look> {
  const seen = new Map<string, Look>();
  for (const { box, hands } of view.boxes) {
    for (const hand of hands) {
      seen.set(`${box}.${hand.hand}`, {
        name: speech.text("ui.box_hand", { box, hand: hand.hand }),
        look: look(hand, speech),
      });
    }
  }
  const { cards, total } = view.dealer;
  seen.set("0.1", { name: speech.text("ui.dealer"), look: `${ranks(cards)} ${total ?? ""}`.trim() });
  return seen;
}

function look(hand: HandView, speech: Speech): string {
  return `${ranks(hand.cards)} ${handLabel(hand, speech)}`.trim();
}
