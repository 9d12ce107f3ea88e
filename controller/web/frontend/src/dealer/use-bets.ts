// Chips while bets are taken: to the chosen bettor, or from the hand to every box that is tapped.
import { useCallback, useEffect, useState } from "preact/hooks";
import { CHIP_KEYS } from "../shared/key-name";
import type { Commands } from "../shared/use-commands";
import type { Prompt, TableView, Words } from "../view";
import type { InHand, Selection } from "./selection";
import { useLaid } from "./use-laid";

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
