// What a person says of one card, as the ruling that goes on the wire.
import type { Observation } from "../server/commands";
import { assertNever, type Rank } from "../vocabulary";
import type { StruckKind } from "./struck-as";
import { DEALER, type Place } from "./targets";
import { ANY_REASON } from "./use-preview";

/** What the card is in truth: another rank, no card of this round (burned or taken out), or of another hand. */
export type Truth =
  | { is: "rank"; rank: Rank }
  | { is: "burn" | "strike"; as?: StruckKind }
  | { is: "place"; place: Place };

/** The ruling that follows from it; null while nothing is chosen. */
export function rulingOf(card: number, truth: Truth | null, by: string): Observation | null {
  const signed = { by, reason: ANY_REASON };
  switch (truth?.is) {
    case undefined:
      return null;
    case "rank":
      return { obs: "correct", card, rank: truth.rank, ...signed };
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
      return truth.place.box === DEALER
        ? { obs: "move", card, to: "dealer", ...signed }
        : { obs: "move", card, to: "box", ...truth.place, ...signed };
    default:
      return assertNever(truth);
  }
}
