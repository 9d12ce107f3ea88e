// Chips while bets are taken: to the chosen bettor, or from the hand to every box that is tapped.
import { useEffect, useState } from "preact/hooks";
import type { Act } from "../server/commands";
import type { Commands } from "../shared/use-commands";
import type { Prompt, TableView, Words } from "../view";
import type { InHand, Selection } from "./selection";

/** Letters of the chips, smallest first: side by side under one hand. */
export const CHIP_KEYS: readonly string[] = ["f", "g", "h", "j", "k"];

const say = (code: string, params: Words["params"] = {}): Words => ({ code, params });

/** What lies in hand or is chosen while bets are taken, and what each press does then. */
export interface Bets {
  betting: boolean;
  selection: Selection | null;
  inHand: InHand | null;
  typing: boolean;
  /** A tap on a circle. */
  tap: (box: number) => void;
  choose: (selection: Selection | null) => void;
  /** A tap on a chip; `off` takes one off. */
  chip: (value: string, off: boolean) => void;
  /** A chip that is slid over a circle. */
  slide: (box: number, value: string) => void;
  repeat: () => void;
  clear: (key: string) => void;
  type: (open: boolean) => void;
  press: (key: string) => boolean;
}

/** All of it is this screen's own; the stakes are the server's. */
export function useBets(view: TableView, live: boolean, prompt: Prompt, commands: Commands): Bets {
  const betting = prompt.bar.chips.length > 0;
  const typable = prompt.amount_for !== null;
  const [wanted, choose] = useState<Selection | null>(null);
  const [held, hold] = useState<InHand | null>(null);
  const [typing, type] = useState(false);
  const laid = useLaid(commands, live, betting);
  useEffect(() => {
    if (betting) return;
    choose(null);
    hold(null);
  }, [betting]);
  useEffect(() => {
    if (!typable) type(false);
  }, [typable]);

  const selection = betting ? wanted : null;
  const inHand = betting ? held : null;
  const take = (what: InHand): void => hold(same(inHand, what) ? null : what);

  const tap = (box: number): void => {
    if (inHand === "repeat") repeatBox(box);
    else if (inHand) laid.lay({ box, seat: 0 }, inHand.chip, false);
    else choose(selection?.box === box ? null : { box, seat: 0 });
  };
  const repeatBox = (box: number): void => {
    const acts = view.boxes.find((one) => one.box === box)?.repeat ?? [];
    if (acts.length === 0) commands.tell(say("why.NOTHING_TO_REPEAT", { box }));
    else if (live) void commands.run("REPEAT_BOX", acts);
  };
  const chip = (value: string, off: boolean): void => {
    if (selection) laid.lay(selection, value, off);
    else if (off) commands.tell(say("why.NO_BOX"));
    else take({ chip: value });
  };
  const clear = (key: string): void => {
    if (!selection) commands.tell(say("why.NO_BOX"));
    else void commands.run(key, [{ do: "clear", box: selection.box }]);
  };
  const pressBox = (box: number): void => {
    if (inHand) tap(box);
    else choose({ box, seat: 0 });
  };
  const press = (key: string): boolean => {
    if (!betting) return false;
    const value = prompt.bar.chips[CHIP_KEYS.indexOf(key)];
    if (value !== undefined) chip(value, false);
    else if (key === "Backspace") laid.takeBack();
    else if (/^[1-9]$/.test(key) && Number(key) <= view.felt.boxes) pressBox(Number(key));
    else if (key === "Escape" && (selection || inHand)) {
      choose(null);
      hold(null);
    } else return false;
    return true;
  };
  return {
    betting,
    selection,
    inHand,
    typing: typing && typable,
    tap,
    choose,
    chip,
    slide: (box, value) => laid.lay({ box, seat: 0 }, value, false),
    repeat: () => (selection ? repeatBox(selection.box) : take("repeat")),
    clear,
    type,
    press,
  };
}

const same = (one: InHand | null, other: InHand): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Laid {
  lay: (selection: Selection, value: string, off: boolean) => void;
  takeBack: () => void;
}

/** The chips that this screen has laid, for the way back. */
function useLaid(commands: Commands, live: boolean, betting: boolean): Laid {
  const [laid, setLaid] = useState<readonly Act[]>([]);
  useEffect(() => {
    if (!betting) setLaid([]);
  }, [betting]);
  const lay = (selection: Selection, value: string, off: boolean): void => {
    if (!live) return;
    const act = { do: "chip", ...selection, chip: value, off } as const;
    setLaid((before) => [...before, { ...act, off: !off }]);
    void commands.run("chip", [act]);
  };
  const takeBack = (): void => {
    const last = laid.at(-1);
    if (!last) {
      commands.tell(say("why.NO_CHIP_TO_TAKE"));
      return;
    }
    setLaid(laid.slice(0, -1));
    void commands.run("UNDO", [last]);
  };
  return { lay, takeBack };
}
