// To whom the next chips go: the bettor who was chosen, or every box that is tapped while a chip is in hand.
import type { TableView } from "../view";

/** A bettor of a box: seat 0 holds it, the others bet behind. */
export interface Selection {
  box: number;
  seat: number;
}

/** What the next taps on circles lay there: a chip of this value, or the bets of the round before. */
export type InHand = { chip: string } | "repeat";

/** The seats of a box that can be chosen: those taken and one more, as far as the house takes bets behind (-1: any number). */
export function seatsOf(box: number, view: TableView): number[] {
  const taken = Math.max(
    -1,
    ...(view.boxes.find((one) => one.box === box)?.seats ?? []).map((one) => one.seat),
  );
  const behind = view.felt.back_bets;
  const last = behind < 0 ? taken + 1 : Math.min(taken + 1, behind);
  return Array.from({ length: Math.max(last, 0) + 1 }, (_, seat) => seat);
}
