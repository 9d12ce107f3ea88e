// The amount that is being typed, and for whom; without anything drawn.
import { useState } from "preact/hooks";
import type { BoxView, Prompt, TableView } from "../view";
import type { Selection } from "./selection";

const DIGITS_MAX = 9;
const DECIMALS_MAX = 2;

/** What an amount is typed for. */
export type AmountKind = NonNullable<Prompt["amount_for"]>;

/** The typed amount and the bettor whom it is for. */
export interface Amount {
  at: Selection;
  typed: string;
  type: (digit: string) => void;
  back: () => void;
  choose: (bettor: Selection) => void;
  /** Goes to a neighbour in the row of bettors, round at its ends. */
  step: (by: 1 | -1) => void;
}

/** Begins with `start`, or with the first of those who can be given an amount. */
export function useAmount(bettors: readonly Selection[], start: Selection | null): Amount {
  const [at, setAt] = useState<Selection>(start ?? bettors[0] ?? { box: 1, seat: 0 });
  const [typed, setTyped] = useState("");
  const choose = (bettor: Selection): void => {
    setAt(bettor);
    setTyped("");
  };
  const step = (by: 1 | -1): void => {
    const place = bettors.findIndex((one) => isSame(one, at));
    choose(bettors.at((place + by) % Math.max(bettors.length, 1)) ?? at);
  };
  const type = (digit: string): void => setTyped(withDigit(typed, digit));
  return { at, typed, type, back: () => setTyped(typed.slice(0, -1)), choose, step };
}

/** Those to whom something is still to be paid at a box. */
export const paidBettors = ({ box, moves }: BoxView): Selection[] =>
  moves.filter(({ verb }) => verb === "pay").map(({ seat }) => ({ box, seat }));

/** The text with one digit (or the point) more, as long as it stays an amount. */
function withDigit(typed: string, digit: string): string {
  const decimals = typed.split(".")[1]?.length ?? 0;
  const full = typed.length >= DIGITS_MAX || decimals >= DECIMALS_MAX;
  return full || (digit === "." && (typed === "" || typed.includes("."))) ? typed : typed + digit;
}

/** Whether both are the same bettor. */
export const isSame = (one: Selection, other: Selection): boolean =>
  one.box === other.box && one.seat === other.seat;

/** Everybody who can be given an amount: each box's holder for a stake, whoever has bet, or whoever is paid. */
export function bettorsOf(view: TableView, kind: AmountKind): Selection[] {
  if (kind === "given") return view.boxes.flatMap(paidBettors);
  return view.boxes.flatMap(({ box, seats }) => {
    const taken = seats.map(({ seat }) => ({ box, seat }));
    const holder = kind === "stake" && !seats.some(({ seat }) => seat === 0) ? [{ box, seat: 0 }] : [];
    return [...holder, ...taken];
  });
}
