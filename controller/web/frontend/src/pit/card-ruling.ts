// What a person says of one card, as the ruling that goes on the wire.
import type { Observation } from "../server/commands";
import { assertNever, type Rank, type Suit } from "../vocabulary";
import type { StruckKind } from "./struck-as";
import { ANY_REASON } from "./use-preview";

/** A hand of a box; the dealer is box 0. */
export interface Place {
  box: number;
  hand: number;
}

/** What the card is in truth: another card, none of this round (burned or taken out), or of another hand. */
export type Truth =
  | { is: "card"; rank: Rank; suit: Suit | null }
  | { is: "burn" | "strike"; as?: StruckKind }
  | { is: "place"; place: Place };

/** The ruling that follows from it; null while nothing is chosen. */
export function rulingOf(card: number, truth: Truth | null, by: string): Observation | null {
  const signed = { by, reason: ANY_REASON };
  switch (truth?.is) {
    case undefined:
      return null;
    case "card":
      return {
        obs: "correct",
        card,
        rank: truth.rank,
        ...(truth.suit ? { suit: truth.suit } : {}),
        ...signed,
      };
    case "burn":
    case "strike":
      return {
        obs: "strike",
        card,
        ...signed,
        burn: truth.is === "burn",
        ...(truth.as ? { as: truth.as } : {}),
      };
    case "place":
      return truth.place.box === 0
        ? { obs: "move", card, to: "dealer", ...signed }
        : { obs: "move", card, to: "box", ...truth.place, ...signed };
    default:
      return assertNever(truth);
  }
}
