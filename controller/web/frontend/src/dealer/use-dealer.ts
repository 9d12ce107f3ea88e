// What the dealer's keys, chips and boxes do; all of it comes from the prompt that the server sent.
import { useEffect, useState } from "preact/hooks";
import type { Act } from "../server/http";
import { type PressGuard, usePressGuard } from "../shared/keys";
import { padAct } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { Key, Prompt, TableView, Words } from "../view";
import { assertNever } from "../vocabulary";
import { type Bets, useBets } from "./bets";

/** The dealer's half of the screen: what it shows now, and what each way of pressing does. */
export interface DealerScreen {
  prompt: Prompt;
  detail: readonly Words[];
  bets: Bets;
  padOpen: boolean;
  /** A tap on a circle. */
  onBox: (box: number) => void;
  /** A key of the keyboard; says whether it meant anything. */
  press: (key: string) => boolean;
  onKey: (key: Key) => void;
  onPad: (act: Act) => void;
  closePad: () => void;
}

/**
 * What the dealer's presses mean on this view; nothing is sent while it is not live, nor by a key that rests.
 * A press that does nothing says why.
 */
export function useDealer(view: TableView, live: boolean, commands: Commands): DealerScreen {
  const { prompt, next } = usePrompt(view);
  const guard = usePressGuard(meanings(view, prompt));
  const bets = useBets(view, live, prompt, commands, () => guard.rests(CHIPS));
  const pad = usePad(prompt, commands);

  const onKey = (key: Key): void => {
    if (!live) return;
    if (!key.enabled) commands.refuse(key.note ?? { code: "why.NOT_NOW", params: {} });
    else if (admitted(guard, key.key, commands)) act(key);
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
        bets.clear(key.key);
        break;
      case "repeat":
        bets.repeat();
        break;
      case "amount":
        bets.type(!bets.typing);
        break;
      case null:
        void commands.run(key.key, key.acts);
        break;
      default:
        assertNever(key.opens);
    }
  };
  const onBox = (box: number): void => {
    const key = view.boxes.find((one) => one.box === box)?.press;
    if (bets.betting) bets.tap(box);
    else if (key) onKey(key);
  };
  const onPad = (named: Act): void => {
    if (live && admitted(guard, "pad", commands)) void commands.run("pad", [named]);
  };
  const press = (key: string): boolean => {
    const named = pad.open && prompt.pad ? padAct(prompt.pad, key) : null;
    const item = prompt.bar.keys.find((one) => one.hotkeys.some((hotkey) => sameKey(hotkey, key)));
    if (named) onPad(named);
    else if (pad.open && key === "Escape") pad.close();
    else if (item) onKey(item);
    else if (bets.betting) return bets.press(key);
    else if (/^[1-9]$/.test(key) && Number(key) <= view.felt.boxes) onBox(Number(key));
    else return false;
    return true;
  };
  return {
    prompt,
    detail: withBets(prompt, bets),
    bets,
    padOpen: pad.open,
    onBox,
    press,
    onKey,
    onPad,
    closePad: pad.close,
  };
}

/** Name of the chips and, while bets are taken, of the circles in the guard. */
const CHIPS = "chips";

const WHY = { resting: "why.TOO_SOON", twice: "why.TWICE" } as const;

function admitted(guard: PressGuard, key: string, commands: Commands): boolean {
  const answer = guard.admit(key);
  if (answer !== "counts") commands.refuse({ code: WHY[answer], params: {} });
  return answer === "counts";
}

/** The prompt on the screen, and the way to the next one where a prompt only tells. */
function usePrompt(view: TableView): { prompt: Prompt; next: () => void } {
  const [chosen, setChosen] = useState({ stage: "", at: 0 });
  const at = chosen.stage === view.stage ? chosen.at : 0;
  const prompt = view.prompts[Math.min(at, view.prompts.length - 1)];
  if (!prompt) throw new Error("a view has at least one prompt");
  return { prompt, next: () => setChosen({ stage: view.stage, at: at + 1 }) };
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
function withBets(prompt: Prompt, bets: Bets): readonly Words[] {
  const place = whereTo(bets);
  if (place) return [place, ...prompt.detail];
  const choose: Words = { code: "ui.bets_choose", params: {} };
  return prompt.line.code === "line.PLACE_BETS" ? [choose, ...prompt.detail] : prompt.detail;
}

function whereTo({ selection, inHand }: Bets): Words | null {
  if (inHand === "repeat") return { code: "ui.in_hand_repeat", params: {} };
  if (inHand) return { code: "ui.in_hand", params: { value: { money: inHand.chip } } };
  if (!selection) return null;
  return { code: selection.seat === 0 ? "ui.bets_box" : "ui.bets_behind", params: { ...selection } };
}

const sameKey = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** What each key of the bar and each circle would do; Call pit never changes, so it never rests. */
function meanings(view: TableView, prompt: Prompt): [string, string][] {
  const keys = prompt.bar.keys.filter((key) => key.key !== "CALL_PIT");
  const circles = view.boxes.flatMap((box) => box.press ?? []);
  // A circle that is also a key of the bar (an insurance) is one and the same.
  const line = JSON.stringify(prompt.line);
  const all = new Map<string, string>();
  for (const key of [...circles, ...keys]) {
    // "Next" sends nothing: what it goes on from is what it means.
    all.set(key.key, `${key.enabled}:${key.opens === "next" ? line : JSON.stringify(key.acts)}`);
  }
  if (prompt.bar.chips.length > 0) all.set(CHIPS, "");
  if (prompt.pad) all.set("pad", JSON.stringify(prompt.pad.rank_obs));
  return [...all];
}
