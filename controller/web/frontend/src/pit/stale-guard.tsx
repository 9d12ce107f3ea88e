// What a pit user looked at when the dialog opened. A ruling counts for that table, and for no later one unasked.
import { useState } from "preact/hooks";
import { handLabel } from "../felt/hand";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { HandView, TableView } from "../view";
import { ranks } from "./preview-table";

/** Guards a ruling against a table that has moved under it. */
export interface StaleGuard {
  /** The table as it was last confirmed by the person. */
  seen: TableView;
  moved: boolean;
  confirm: () => void;
}

/** Holds the table of the moment in which the dialog opened, until the person confirms a newer one. */
export function useStaleGuard(view: TableView): StaleGuard {
  const [seen, setSeen] = useState(view);
  return { seen, moved: seen.seq !== view.seq, confirm: () => setSeen(view) };
}

interface Props {
  guard: StaleGuard;
  view: TableView;
  by: string;
  off: boolean;
}

/** Says that the table has moved and what has changed, and asks for the signature again. */
export function TableMoved({ guard, view, by, off }: Props) {
  const i18n = useI18n();
  if (!guard.moved) return null;
  const changes = changedHands(guard.seen, view, i18n);
  return (
    <div class="moved stack gap-10 round-12" role="alert">
      <p class="problem">{i18n.text("ui.table_moved", { was: guard.seen.seq, now: view.seq })}</p>
      <ul class="scroll-y size-18">
        {changes.map(([place, change]) => (
          <li key={place} data-moved={place}>
            {change}
          </li>
        ))}
        {changes.length === 0 && <li>{i18n.text("ui.no_hand_changed")}</li>}
      </ul>
      <button type="button" class="plain" data-key="SIGN_AGAIN" disabled={off} onClick={guard.confirm}>
        {i18n.text("ui.sign_again", { by })}
      </button>
    </div>
  );
}

function changedHands(was: TableView, now: TableView, i18n: I18n): [string, string][] {
  const old = looks(was, i18n);
  const present = looks(now, i18n);
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
function looks(view: TableView, i18n: I18n): Map<string, Look> {
  const seen = new Map<string, Look>();
  for (const { box, hands } of view.boxes) {
    for (const hand of hands) {
      seen.set(`${box}.${hand.hand}`, {
        name: i18n.text("ui.box_hand", { box, hand: hand.hand }),
        look: look(hand, i18n),
      });
    }
  }
  const { cards, total } = view.dealer;
  seen.set("0.1", { name: i18n.text("ui.dealer"), look: `${ranks(cards)} ${total ?? ""}`.trim() });
  return seen;
}

function look(hand: HandView, i18n: I18n): string {
  return `${ranks(hand.cards)} ${handLabel(hand, i18n)}`.trim();
}
