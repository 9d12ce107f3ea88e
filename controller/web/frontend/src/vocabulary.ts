// Closed vocabularies that the server's types leave open or nest, and how a `switch` over one of them ends.
import type { HandView, HoldRow } from "./view";

/** How a hand came out. */
export type Outcome = NonNullable<HandView["outcome"]>;

/** The ranks in the order of the pad. */
export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"] as const;
export type Rank = (typeof RANKS)[number];

/** The rank that the view names; null where nobody has read it. */
export function rankOf(name: string | null): Rank | null {
  return RANKS.find((rank) => rank === name) ?? null;
}

/** Clubs, diamonds, hearts, spades. */
export const SUITS = ["c", "d", "h", "s"] as const;
export type Suit = (typeof SUITS)[number];

/** The suit that a letter of the view means; null where it means none. */
export function suitOf(letter: string | null): Suit | null {
  return SUITS.find((suit) => suit === letter) ?? null;
}

/** A way out of a hold. */
export type Way = HoldRow["ways"][number];

/** What a box may decide. */
export const ACTIONS = ["hit", "stand", "double", "split", "surrender"] as const;

/** Fails to compile where a case is missing; throws where the server says a word that this page does not know. */
export function assertNever(word: never): never {
  throw new Error(`not in the vocabulary: ${JSON.stringify(word)}`);
}
