// What somebody entered that the pit puts right: where it stands, and whether it can be ruled on now.
import type { Observation } from "../../server/commands";
import type { BoxFacts, PlacedCard, RoundFacts } from "../../view";

/** The kinds of entered facts, in the order of their keys. */
export const BOX_FACTS = ["stake", "decision", "insurance", "swap", "card", "paid"] as const;
export const DEALER_FACTS = ["peek", "reveal", "card"] as const;
export type FactKind = (typeof BOX_FACTS)[number] | (typeof DEALER_FACTS)[number];

/** A entered fact by its place; box 0 is the dealer. What is left out is chosen in the dialog. */
export interface Subject {
  /** The number of a card of a closed round. */
  card?: number;
  fact: FactKind;
  box: number;
  hand?: number;
  seat?: number;
  round: number;
}

/** What the part of the dialog that asks for the truth is given. */
export interface TruthProps {
  subject: Subject;
  facts: RoundFacts;
  by: string;
  /** The ruling that follows from what is chosen; null while something is missing. */
  onTrial: (fact: Observation | null) => void;
}

/** The facts of the subject's box; a box without a bet has none yet. */
export function boxFacts({ subject, facts }: Pick<TruthProps, "subject" | "facts">): BoxFacts {
  return facts.boxes.find((one) => one.box === subject.box) ?? { box: subject.box, seats: [], hands: [] };
}

/** The open cards of a closed round at a box; at the dealer (0) also those that fit nowhere. */
export const cardsAt = (facts: RoundFacts, box: number): readonly PlacedCard[] =>
  facts.cards.filter((one) => Math.max(one.box, 0) === box);

/** `round` for a ruling: only a closed round is named. */
export const roundOf = (facts: RoundFacts): { round?: number } =>
  facts.closed ? { round: facts.round } : {};

/** Whether the round has such a fact to put right. */
export function hasFact(kind: FactKind, facts: RoundFacts, box: number): boolean {
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
      return cardsAt(facts, box).length > 0;
    case "peek":
      return facts.peek !== null;
    case "reveal":
      return facts.turned;
  }
}
