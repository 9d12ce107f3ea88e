// The ways out of a hold: which dialog each opens, filled in for the fault, and what the house does not offer.

import type { HoldRow, TableView } from "../view";
import type { Way } from "../vocabulary";
import type { Dialog } from "./dialog-kinds";
import { cardSubject } from "./entered/subject";

/** What a ruling would be on, in the server's words (`HoldRow.about`), of one round. */
interface RulingSubject {
  round: number;
  on: readonly string[];
}

/** The holds that a ruling on this subject is one on. */
const holdsOn = (view: TableView, { round, on }: RulingSubject): HoldRow[] =>
  view.holds.filter((hold) => hold.round === round && on.some((word) => hold.about.includes(word)));

/** The ways that the house allows for this subject; null where no hold is about it. */
export function allowedWays(view: TableView, subject: RulingSubject): ReadonlySet<Way> | null {
  const [first, ...others] = holdsOn(view, subject).map((hold) => new Set(hold.ways));
  return first ? new Set([...first].filter((way) => others.every((ways) => ways.has(way)))) : null;
}

/** Whether a hold that asks for two people is about this subject. */
export function needsTwo(view: TableView, subject: RulingSubject): boolean {
  return holdsOn(view, subject).some((hold) => hold.two);
}

/** What a key for this way opens; null where the fault names nothing that it could begin with. */
export function wayDialog(view: TableView, hold: HoldRow, way: Way): Dialog | null {
  const { box } = hold;
  switch (way) {
    case "strike":
    case "burn":
    case "move":
    case "correct":
      return cardDialog(view, hold, way);
    case "amend":
      return amendDialog(hold);
    case "swap":
      return box > 0 ? { open: "entered", at: { fact: "swap", box, round: hold.round } } : null;
    case "paid":
      return box > 0
        ? { open: "entered", at: { fact: "paid", box, seat: hold.seat ?? 0, round: hold.round } }
        : null;
    case "void_box":
      return box > 0 ? { open: "void", box } : { open: "void" };
    case "void_round":
      return { open: "void" };
    case "keep":
    case "draw":
    case "shoe":
    case "shuffle":
    case "shoe_void":
      return { open: "way", hold, way };
    case "shoe_end":
      return { open: "rest" };
  }
}

/** The card on the felt, or the one of a round that was cleared; null where the fault names none. */
function cardDialog(view: TableView, hold: HoldRow, way: Way): Dialog | null {
  const { card, box, round } = hold;
  if (card === 0) return null;
  const at = round === view.round ? cardSubject(view, card) : { box: Math.max(box, 0), card, round };
  return { open: "entered", at: { ...at, fact: "card", way } };
}

/** Which entered fact is most likely the wrong one; the dialog leads to the others. */
function amendDialog({ amends, box, seat, round }: HoldRow): Dialog {
  const dealers = amends === "peek" || amends === "reveal";
  if (dealers) return { open: "entered", at: { fact: amends, box: 0, round } };
  return { open: "entered", at: { fact: amends, box: Math.max(box, 0), seat: seat ?? 0, round } };
}
