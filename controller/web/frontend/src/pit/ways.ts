// The ways out of a hold: which dialog each opens, filled in for the fault, and what the house does not offer.

import type { HoldRow, TableView } from "../view";
import type { Way } from "../vocabulary";
import type { Dialog } from "./dialog-kinds";
import { cardSubject } from "./entered/subject";

/** What a ruling would be about, as far as a hold can tell. */
export interface Subject {
  round: number;
  card?: number;
  box?: number;
  hole?: boolean;
}

/** The ways that the house allows for this subject; null where no hold is about it. */
export function allowedWays(view: TableView, subject: Subject): ReadonlySet<Way> | null {
  const about = view.holds.filter((hold) => hold.ways.length > 0 && isAbout(hold, subject));
  if (about.length === 0) return null;
  const [first, ...others] = about.map((hold) => new Set(hold.ways));
  return new Set([...(first ?? [])].filter((way) => others.every((ways) => ways.has(way))));
}

/** Whether the house forbids this void: of one box, or (null) of the round, which every hold of it is about. */
export function ruledOut(view: TableView, way: "void_box" | "void_round", box: number | null): boolean {
  const subject = { round: view.round, ...(box === null ? {} : { box }) };
  return view.holds.some(
    (hold) => hold.ways.length > 0 && isAbout(hold, subject) && !hold.ways.includes(way),
  );
}

/** Whether a hold that asks for two people is about this subject. */
export function needsTwo(view: TableView, subject: Subject): boolean {
  return view.holds.some((hold) => hold.two && isAbout(hold, subject));
}

/** Whether a ruling on this subject is one on the hold, as the server says; a subject without a part is the whole round. */
function isAbout(hold: HoldRow, { round, card, box, hole }: Subject): boolean {
  if (!hold.of_round || hold.round !== round) return false;
  if (card !== undefined) return hold.card !== 0 && hold.card === card;
  if (box !== undefined) return hold.box === box;
  return hole === true ? hold.of_hole : true;
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
function amendDialog(hold: HoldRow): Dialog {
  const { round } = hold;
  if (hold.of_hole) {
    return { open: "entered", at: { fact: hold.code.startsWith("PEEK") ? "peek" : "reveal", box: 0, round } };
  }
  const fact = FACTS[hold.code] ?? "decision";
  return { open: "entered", at: { fact, box: Math.max(hold.box, 0), seat: hold.seat ?? 0, round } };
}

const FACTS: Record<string, "stake" | "insurance"> = {
  STAKE_CHANGED: "stake",
  STAKE_OUTSIDE_LIMITS: "stake",
  CARD_TO_EMPTY_BOX: "stake",
  WRONG_PAYOUT: "stake",
  INSURANCE_NOT_CLOSED: "insurance",
};
