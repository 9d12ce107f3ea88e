// What somebody entered that the pit puts right: where it stands, and whether it can be ruled on now.
import { cardPlace } from "../../i18n/sentences";
import type { Observation } from "../../server/commands";
import type { BoxFacts, RoundFacts, TableView } from "../../view";
import type { Rank, Way } from "../../vocabulary";

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
