// Dialogs over the table by name, what a ruling is on, and the ways out of a hold.

import { cardPlace } from "../i18n/sentences";
import type { Observation } from "../server/http";
import type { AlertRow, BoxFacts, DoubtRow, HoldRow, OpenCard, RoundFacts, TableView } from "../view";
import type { Rank, Way } from "../vocabulary";

/** A way out that is chosen in a stop, or an answer to a camera's question. */
export interface Chosen {
  /** The stop or the question, by its key. */
  alert: string;
  way: string;
}

/** The ways that are confirmed and done, without figures. */
export type PlainWay = "keep" | "draw" | "shoe" | "shuffle" | "shoe_void";

/** What is corrected, or the round in which something is chosen first. */
export type PutRightAt = Subject | { round: number };

/** What is open over the table, and on what. */
export type Dialog =
  | { open: "sign-in" }
  | { open: "entered"; at: PutRightAt }
  | { open: "way"; hold: HoldRow; way: PlainWay }
  | { open: "void"; box?: number }
  | { open: "devices" }
  | { open: "faults" }
  | { open: "screen" }
  | { open: "keys" }
  | { open: "training" }
  | { open: "doors" }
  | { open: "shoe" }
  | { open: "rest" }
  | { open: "limits" }
  | { open: "shoe-void" }
  | { open: "counted" }
  | { open: "money" }
  | { open: "alert"; alert: AlertRow }
  | { open: "doubt"; doubt: DoubtRow; card?: OpenCard | null };

/** The kinds of entered facts, in the order of their keys. */
export const BOX_FACTS = ["stake", "decision", "insurance", "swap", "card", "paid"] as const;
export const DEALER_FACTS = ["peek", "reveal", "card"] as const;
export type FactKind = (typeof BOX_FACTS)[number] | (typeof DEALER_FACTS)[number];

/** An entered fact by its place; box 0 is the dealer. What is left out is chosen on the felt. */
export interface Subject {
  /** The number of a card in its round. */
  card?: number | undefined;
  fact: FactKind;
  box: number;
  hand?: number;
  seat?: number;
  round: number;
  /** The way out of a stop that was pressed: what it means is chosen beforehand. */
  way?: Way;
  /** The answer that was pressed in the alert: what one of two readers takes the card for. */
  rank?: Rank | null;
}

/** What the part of the form that asks for the truth is given. */
export interface TruthProps {
  subject: Subject;
  facts: RoundFacts;
  /** The round as it is drawn. */
  view: TableView;
  /** The ways that the house allows for it while it holds the table; null where it does not. */
  ways: ReadonlySet<Way> | null;
  by: string;
  /** The ruling that follows from what is chosen; null while something is missing. */
  onTrial: (fact: Observation | null) => void;
}

/** The facts of the subject's box; a box without a bet has none yet. */
export function boxFacts({ subject, facts }: Pick<TruthProps, "subject" | "facts">): BoxFacts {
  return facts.boxes.find((one) => one.box === subject.box) ?? { box: subject.box, seats: [], hands: [] };
}

/** The round as it lay: that of the view, or a closed one put in its place. */
export const drawnRound = (view: TableView, { round, laid }: RoundFacts): TableView =>
  laid ? { ...view, ...laid, round } : view;

/** A card by its number, at the box where it lies. */
export const cardSubject = (view: TableView, card: number): Subject => ({
  fact: "card",
  card,
  box: Math.max(cardPlace(view, card)?.box ?? 0, 0),
  round: view.round,
});

/** The first open card of a box, or of the dealer (0). */
export function firstCard(view: TableView, at: number): number | undefined {
  const hands =
    at === 0
      ? [view.dealer.cards]
      : view.boxes
          .filter(({ box }) => box === at)
          .flatMap(({ hands: held }) => held.map(({ cards }) => cards));
  return hands.flat().flatMap((card) => ("hidden" in card ? [] : [card.card]))[0];
}

/** `round` for a ruling: only a closed round is named. */
export const roundOf = (facts: RoundFacts): { round?: number } =>
  facts.closed ? { round: facts.round } : {};

/** Whether the round has such a fact to put right. */
export function hasFact(kind: FactKind, facts: RoundFacts, view: TableView, box: number): boolean {
  const entered = facts.boxes.find((one) => one.box === box);
  switch (kind) {
    case "stake":
      return true;
    case "decision":
      return entered?.hands.some((hand) => hand.decisions.length > 0) ?? false;
    case "insurance":
      return facts.insurance && entered !== undefined;
    case "swap":
      return (entered?.hands.length ?? 0) > 0 && facts.boxes.flatMap((one) => one.hands).length > 1;
    case "paid":
      return entered?.seats.some((seat) => seat.due !== null) ?? false;
    case "card":
      return firstCard(view, box) !== undefined;
    case "peek":
      return facts.peek !== null;
    case "reveal":
      return facts.turned;
  }
}

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
