// What the dealer's keys, chips and boxes do; all of it comes from the prompt that the server sent.
import { useEffect, useState } from "preact/hooks";
import type { Act } from "../server/commands";
import { usePressGuard } from "../shared/press-guard";
import { padAct } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { Key, Prompt, TableView, Words } from "../view";
import { assertNever } from "../vocabulary";
import { nextSelection, type Selection } from "./selection";

/** The dealer's half of the screen: what it shows now, and what each way of pressing does. */
export interface DealerScreen {
  prompt: Prompt;
  detail: readonly Words[];
  betting: boolean;
  selection: Selection | null;
  padOpen: boolean;
  select: (box: number) => void;
  /** A key of the keyboard; says whether it meant anything. */
  press: (key: string) => boolean;
  onKey: (key: Key) => void;
  onChip: (value: string, off: boolean) => void;
  onPad: (act: Act) => void;
  closePad: () => void;
}

/**
 * What the dealer's presses mean on this view; nothing is sent while it is not live, nor by a key that rests.
 */
export function useDealer(view: TableView, live: boolean, commands: Commands): DealerScreen {
  const { prompt, next } = usePrompt(view);
  const guard = usePressGuard(meaning(prompt));
  const chips = useChips(view, live, prompt, commands);
  const pad = usePad(prompt, commands);

  const onKey = (key: Key): void => {
    if (live && key.enabled && guard.admit(key.key)) act(key);
  };
  const act = (key: Key): void => {
    switch (key.opens) {
      case "next":
        next();
        break;
      case "pad":
        pad.toggle();
        break;
      case "clear":
        chips.clear(key.key);
        break;
      case null:
        void commands.run(key.key, key.acts);
        break;
      default:
        assertNever(key.opens);
    }
  };
  const onPad = (named: Act): void => {
    if (live && guard.admit("pad")) void commands.run("pad", [named]);
  };
  const press = (key: string): boolean => {
    const named = pad.open && prompt.pad ? padAct(prompt.pad, key) : null;
    const item = prompt.bar.keys.find((one) => one.hotkeys.some((hotkey) => sameKey(hotkey, key)));
    if (named) onPad(named);
    else if (pad.open && key === "Escape") pad.close();
    else if (item) onKey(item);
    else return chips.press(key);
    return true;
  };
  return {
    prompt,
    detail: withBets(prompt, chips.selection),
    betting: chips.betting,
    selection: chips.selection,
    padOpen: pad.open,
    select: chips.select,
    press,
    onKey,
    onChip: chips.lay,
    onPad,
    closePad: pad.close,
  };
}

/** The prompt on the screen, and the way to the next one where a prompt only tells. */
function usePrompt(view: TableView): { prompt: Prompt; next: () => void } {
  const [told, setTold] = useState({ stage: "", at: 0 });
  const at = told.stage === view.stage ? told.at : 0;
  const prompt = view.prompts[Math.min(at, view.prompts.length - 1)];
  if (!prompt) throw new Error("a view has at least one prompt");
  return { prompt, next: () => setTold({ stage: view.stage, at: at + 1 }) };
}

interface Chips {
  betting: boolean;
  selection: Selection | null;
  select: (box: number) => void;
  lay: (value: string, off: boolean) => void;
  clear: (key: string) => void;
  press: (key: string) => boolean;
}

/** While bets are open: the bettor whom the chips go to, and the chips of this screen that Backspace takes back. */
function useChips(view: TableView, live: boolean, prompt: Prompt, commands: Commands): Chips {
  const [wanted, setWanted] = useState<Selection | null>(null);
  const [laid, setLaid] = useState<readonly Act[]>([]);
  const betting = prompt.bar.chips.length > 0;
  const selection = betting ? wanted : null;
  useEffect(() => {
    if (betting) return;
    setLaid([]);
    setWanted(null);
  }, [betting]);

  const select = (box: number): void => setWanted(nextSelection(selection, box, view));
  const lay = (value: string, off: boolean): void => {
    if (!selection || !live) return;
    const act = { do: "chip", ...selection, chip: value, off } as const;
    setLaid([...laid, { ...act, off: !off }]);
    void commands.run("chip", [act]);
  };
  const takeBack = (): void => {
    const last = laid.at(-1);
    if (!last) return;
    setLaid(laid.slice(0, -1));
    void commands.run("UNDO", [last]);
  };
  const clear = (key: string): void => {
    if (selection) void commands.run(key, [{ do: "clear", box: selection.box }]);
  };
  const press = (key: string): boolean => {
    if (betting && key === "Backspace") takeBack();
    else if (betting && /^[1-7]$/.test(key)) select(Number(key));
    else return false;
    return true;
  };
  return { betting, selection, select, lay, clear, press };
}

/** Whether the pad of the prompt is open: by itself, or because it was called for. */
function usePad(
  prompt: Prompt,
  commands: Commands,
): { open: boolean; toggle: () => void; close: () => void } {
  const [wanted, setWanted] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pad that was called for goes with the line that it was called on.
  useEffect(() => setWanted(false), [prompt.line.code]);
  const unread = commands.refusal?.code === "refused.REVEAL_NEEDS_RANK";
  useEffect(() => {
    if (unread) setWanted(true);
  }, [unread]);
  return {
    open: prompt.pad !== null && (prompt.pad_opens || wanted),
    toggle: () => setWanted(!wanted),
    close: () => setWanted(false),
  };
}

/** What explains the line, and to whom the chips go while bets are open. */
function withBets(prompt: Prompt, selection: Selection | null): readonly Words[] {
  if (selection) {
    const code = selection.seat === 0 ? "ui.bets_box" : "ui.bets_behind";
    return [{ code, params: { ...selection } }, ...prompt.detail];
  }
  const choose: Words = { code: "ui.bets_choose", params: {} };
  return prompt.line.code === "line.PLACE_BETS" ? [choose, ...prompt.detail] : prompt.detail;
}

const sameKey = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Changes whenever a key of the bar would do something else. */
function meaning(prompt: Prompt): string {
  return prompt.bar.keys.map((key) => `${key.key}:${key.enabled}:${JSON.stringify(key.acts)}`).join();
}
