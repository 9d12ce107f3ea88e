// The four suits as paths in a 20 x 20 field: fonts differ, and some make emoji of the signs.
import type { Suit } from "../vocabulary";

const PATHS: Record<Suit, string> = {
  h: "M10 18C4 13 1 10 1 6.4A4.6 4.6 0 0 1 10 4.6 4.6 4.6 0 0 1 19 6.4C19 10 16 13 10 18Z",
  d: "M10 1 17.5 10 10 19 2.5 10Z",
  s: "M10 1C13 6 19 8 19 12.3A4.2 4.2 0 0 1 11.6 15L13 19H7L8.4 15A4.2 4.2 0 0 1 1 12.3C1 8 7 6 10 1Z",
  c: "M10 1A4.3 4.3 0 0 1 13.4 8 4.3 4.3 0 1 1 11.5 14.6L13 19H7L8.5 14.6A4.3 4.3 0 1 1 6.6 8 4.3 4.3 0 0 1 10 1Z",
};

const isRed = (suit: Suit | null): boolean => suit === "h" || suit === "d";

/** How a suit is printed: red or black, and in a colour of its own where the device wants four. */
export const inkOf = (suit: Suit | null): string =>
  `${isRed(suit) ? "red " : ""}${suit ? `suit-${suit}` : ""}`;

/** A suit's sign inside a drawing, its field put where `transform` says. */
export function SuitPath({ suit, transform }: { suit: Suit; transform?: string }) {
  return <path class={`suit ${inkOf(suit)}`} d={PATHS[suit]} transform={transform} />;
}

/** A suit's sign alone. */
export function SuitSign({ suit }: { suit: Suit }) {
  return (
    <svg viewBox="-2 -2 24 24" aria-hidden="true">
      <SuitPath suit={suit} />
    </svg>
  );
}
