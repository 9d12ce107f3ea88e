// Whose stake the chips go to while bets are open.
import type { TableView } from "../view";

/** A bettor of a box: seat 0 holds it, the others bet behind. */
export interface Selection {
  box: number;
  seat: number;
}

/** What a tap on a box selects: its holder, and with each further tap the next of those who may bet behind. */
export function nextSelection(current: Selection | null, box: number, view: TableView): Selection {
  if (current?.box !== box) return { box, seat: 0 };
  return { box, seat: (current.seat + 1) % seatsOf(box, view) };
}

/** The seats that a tap can reach: those taken and one more, as far as the house takes bets behind (-1: any number). */
function seatsOf(box: number, view: TableView): number {
  const taken = view.boxes.find((one) => one.box === box)?.seats.length ?? 0;
  const behind = view.felt.back_bets;
  return Math.max(1, behind < 0 ? taken + 1 : Math.min(taken + 1, behind + 1));
}
