// Bets at the dealer's page: the chosen box, the typed amount, chips on their way.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Act } from "../server/http";
import { CHIP_KEYS } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { BoxView, Prompt, TableView, Words } from "../view";

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

/** Laying chips, and taking the last one back. */
interface Laid {
  lay: (selection: Selection, value: string, off: boolean) => void;
  takeBack: () => void;
}

/** Sends each chip as it is laid; what was laid is forgotten when the bets close. */
function useLaid(commands: Commands, live: boolean, betting: boolean): Laid {
  // Nothing of it is shown: as a state it would have the whole screen drawn anew within the tap.
  const laid = useRef<Act[]>([]);
  useEffect(() => {
    if (!betting) laid.current = [];
  }, [betting]);
  const lay = (selection: Selection, value: string, off: boolean): void => {
    if (!live) return;
    const act = { do: "chip", ...selection, chip: value, off } as const;
    laid.current.push({ ...act, off: !off });
    void commands.run("chip", [act]);
  };
  const takeBack = (): void => {
    const last = laid.current.pop();
    if (!last) {
      commands.refuse({ code: "why.NO_CHIP_TO_TAKE", params: {} });
      return;
    }
    void commands.run("UNDO", [last]);
  };
  return { lay, takeBack };
}

/** What lies in hand or is chosen while bets are taken, and what each press does then. */
export interface Bets {
  betting: boolean;
  selection: Selection | null;
  inHand: InHand | null;
  typing: boolean;
  /** A tap on a circle. */
  tap: (box: number) => void;
  choose: (selection: Selection | null) => void;
  /** Chooses nobody and puts back what is in hand. */
  drop: () => void;
  /** A tap on a chip; `off` takes one off. */
  chip: (value: string, off: boolean) => void;
  /** A chip that is slid over a circle. */
  slide: (box: number, value: string) => void;
  repeat: () => void;
  clear: (key: string) => void;
  type: (open: boolean) => void;
  press: (key: string) => boolean;
}

/** All of it is this screen's own; the stakes are the server's. `rests`: bets have only just been opened. */
export function useBets(
  view: TableView,
  live: boolean,
  prompt: Prompt,
  commands: Commands,
  rests: () => boolean,
): Bets {
  const betting = prompt.bar.chips.length > 0;
  const held = useHeld(betting, prompt.amount_for);
  const { selection, inHand, choose, take } = held;
  const laid = useLaid(commands, live, betting);
  const refuse = (code: string, params: Words["params"] = {}): void => commands.refuse({ code, params });
  const tooSoon = (): boolean => {
    if (rests()) refuse("why.TOO_SOON");
    return rests();
  };
  const repeatBox = (box: number): void => {
    const acts = view.boxes.find((one) => one.box === box)?.repeat ?? [];
    if (acts.length === 0) refuse("why.NOTHING_TO_REPEAT", { box });
    else if (live) void commands.run("REPEAT_BOX", acts);
  };
  const bets: Omit<Bets, "press"> = {
    betting,
    ...held,
    tap: (box) => {
      if (tooSoon()) return;
      if (inHand === "repeat") repeatBox(box);
      else if (inHand) laid.lay({ box, seat: 0 }, inHand.chip, false);
      else choose(selection?.box === box ? null : { box, seat: 0 });
    },
    chip: (value, off) => {
      if (tooSoon()) return;
      if (selection) laid.lay(selection, value, off);
      else if (off) refuse("why.NO_BOX");
      else take({ chip: value });
    },
    slide: (box, value) => laid.lay({ box, seat: 0 }, value, false),
    repeat: () => (selection ? repeatBox(selection.box) : take("repeat")),
    clear: (key) => {
      if (!selection) refuse("why.NO_BOX");
      else void commands.run(key, [{ do: "clear", box: selection.box }]);
    },
  };
  const press = (key: string): boolean => betting && pressed(key, bets, prompt, view, laid.takeBack);
  return { ...bets, press };
}

/** What a key of the keyboard means while bets are taken; false where it means nothing. */
function pressed(
  key: string,
  bets: Omit<Bets, "press">,
  prompt: Prompt,
  view: TableView,
  takeBack: () => void,
): boolean {
  const value = prompt.bar.chips[CHIP_KEYS.indexOf(key)];
  const box = /^[1-9]$/.test(key) && Number(key) <= view.felt.boxes ? Number(key) : null;
  if (value !== undefined) bets.chip(value, false);
  else if (key === "Backspace") takeBack();
  else if (box !== null && bets.inHand) bets.tap(box);
  else if (box !== null) bets.choose({ box, seat: 0 });
  else if (key === "Escape" && (bets.selection || bets.inHand)) bets.drop();
  else return false;
  return true;
}

interface Held extends Pick<Bets, "selection" | "inHand" | "typing" | "choose" | "drop" | "type"> {
  /** Takes something in hand, or puts it back where it is in hand already. */
  take: (what: InHand) => void;
}

/** The chosen bettor, what is in hand, and whether the pad is open: forgotten when bets close. */
function useHeld(betting: boolean, kind: Prompt["amount_for"]): Held {
  const [selection, choose] = useState<Selection | null>(null);
  const [inHand, hold] = useState<InHand | null>(null);
  const [typing, type] = useState(false);
  const drop = useCallback((): void => {
    choose(null);
    hold(null);
  }, []);
  useEffect(() => {
    if (!betting) drop();
  }, [betting, drop]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pad that was called for one kind of amount takes no other.
  useEffect(() => type(false), [kind]);
  return {
    selection: betting ? selection : null,
    inHand: betting ? inHand : null,
    typing: typing && kind !== null,
    choose,
    drop,
    type,
    take: (what) => hold(same(inHand, what) ? null : what),
  };
}

const same = (one: InHand | null, other: InHand): boolean => JSON.stringify(one) === JSON.stringify(other);
