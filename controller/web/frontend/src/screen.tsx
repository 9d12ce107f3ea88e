// The dealer's screen, and over it what the pit opens.
import { useEffect, useState } from "preact/hooks";
import { Table } from "./felt/table";
import { useGuard } from "./guard";
import { useHotkeys } from "./hotkeys";
import { Band } from "./parts/band";
import { BottomBar } from "./parts/bar";
import { SimulationStrip, Toast } from "./parts/overlay";
import { PadSheet, rankOfKey, withRank } from "./parts/pad";
import { TopBar } from "./parts/top";
import { type Dialog, Dialogs } from "./pit/dialogs";
import { PitBar } from "./pit/pit-bar";
import type { Act } from "./send";
import { type Commands, dealer, nextSelection, type Selection, useCommands } from "./state";
import type { Key, Prompt, TableView, Words } from "./view";
import type { Language, Speech } from "./words";

interface Props {
  view: TableView;
  live: boolean;
  speech: Speech;
  onLanguage: (language: Language) => void;
}

export function Screen({ view, live, speech, onLanguage }: Props) {
  const commands = useCommands(view);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [byHand, setByHand] = useState(false);
  const screen = useDealer(view, live, commands);
  const pit = commands.person.role === "pit";
  const off = !live;
  useHotkeys((key) => !dialog && !pit && live && screen.press(key));

  const leavePit = (): void => commands.setPerson(dealer());
  const openCard = (card: number): void => {
    setDialog({ open: "correct", card });
    void commands.run("editing", [{ do: "editing", on: true, box: null }]);
  };
  const close = (): void => {
    if (dialog?.open === "correct") void commands.run("editing", [{ do: "editing", on: false, box: null }]);
    setDialog(null);
  };

  return (
    <div
      class={view.mode === "simulation" ? "app simulated" : "app"}
      data-seq={view.seq}
      data-live={live}
      data-tone={screen.prompt.tone}
    >
      <TopBar
        view={view}
        person={commands.person}
        speech={speech}
        onLanguage={onLanguage}
        onPit={() => (pit ? leavePit() : setDialog({ open: "sign-in" }))}
      />
      {view.mode === "simulation" && (
        <SimulationStrip
          autoplay={view.autoplay}
          off={off}
          speech={speech}
          onAutoplay={(on) => void commands.run("autoplay", [{ do: "autoplay", on }])}
        />
      )}
      <Band prompt={screen.prompt} detail={screen.detail} chips={view.chips} speech={speech} />
      <main class="felt">
        <Table
          view={view}
          prompt={screen.prompt}
          selected={screen.selection?.box ?? null}
          speech={speech}
          onBox={screen.betting && !pit ? screen.select : undefined}
          onCard={pit && live ? openCard : undefined}
        />
      </main>
      {pit ? (
        <PitBar
          view={view}
          off={off}
          speech={speech}
          onAct={(act) => void commands.run("pit", [act])}
          onByHand={() => setByHand(true)}
          onVoid={() => setDialog({ open: "void" })}
          onDevices={() => setDialog({ open: "devices" })}
          onDoubt={(doubt) => setDialog({ open: "doubt", doubt })}
          onLeave={leavePit}
        />
      ) : (
        <BottomBar
          bar={screen.prompt.bar}
          kinds={view.chips}
          off={off}
          sent={commands.sent}
          speech={speech}
          onKey={screen.onKey}
          onChip={screen.onChip}
        />
      )}
      {screen.prompt.pad && screen.padOpen && !pit && (
        <PadSheet
          pad={screen.prompt.pad}
          off={off}
          speech={speech}
          onAct={screen.onPad}
          onCall={() => void commands.run("CALL_PIT", [{ do: "freeze", note: "" }])}
          onClose={screen.prompt.pad_opens ? null : screen.closePad}
        />
      )}
      {pit && byHand && (
        <PadSheet
          pad={view.by_hand}
          off={off}
          speech={speech}
          onAct={(act) => void commands.run("pad", [act])}
          onCall={() => void commands.run("CALL_PIT", [{ do: "freeze", note: "" }])}
          onClose={() => setByHand(false)}
        />
      )}
      <Toast words={commands.refusal} notice={view.notice} speech={speech} />
      {dialog && (
        <Dialogs dialog={dialog} view={view} off={off} speech={speech} commands={commands} onClose={close} />
      )}
    </div>
  );
}

interface DealerScreen {
  prompt: Prompt;
  detail: readonly Words[];
  betting: boolean;
  selection: Selection | null;
  padOpen: boolean;
  select: (box: number) => void;
  press: (key: string) => boolean;
  onKey: (key: Key) => void;
  onChip: (value: string, off: boolean) => void;
  onPad: (act: Act) => void;
  closePad: () => void;
}

/** What the dealer's keys, chips and boxes do; all of it comes from the prompt that the server sent. */
function useDealer(view: TableView, live: boolean, commands: Commands): DealerScreen {
  const [told, setTold] = useState({ stage: "", at: 0 });
  const [selection, setSelection] = useState<Selection | null>(null);
  const [padWanted, setPadWanted] = useState(false);
  const [laid, setLaid] = useState<readonly Act[]>([]);
  const at = told.stage === view.stage ? told.at : 0;
  const prompt = promptAt(view, at);
  const betting = prompt.bar.chips.length > 0;
  const chosen = betting ? selection : null;
  const guard = useGuard(meaning(prompt));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pad that was called for goes with the line that it was called on.
  useEffect(() => {
    if (!betting) {
      setLaid([]);
      setSelection(null);
    }
    setPadWanted(false);
  }, [betting, prompt.line.code]);
  const unread = commands.refusal?.code === "refused.REVEAL_NEEDS_RANK";
  useEffect(() => {
    if (unread) setPadWanted(true);
  }, [unread]);

  const select = (box: number): void => {
    const seats = view.boxes.find((one) => one.box === box)?.seats.length ?? 0;
    const behind = view.felt.back_bets;
    const most = behind < 0 ? seats + 1 : Math.min(seats + 1, behind + 1);
    setSelection(nextSelection(chosen, box, Math.max(most, 1)));
  };
  const onChip = (value: string, off: boolean): void => {
    if (!chosen || !live) return;
    const act: Act = { do: "chip", ...chosen, chip: value, off };
    setLaid([...laid, { ...act, off: !off }]);
    void commands.run("chip", [act]);
  };
  const undo = (): void => {
    const last = laid.at(-1);
    if (!last) return;
    setLaid(laid.slice(0, -1));
    void commands.run("UNDO", [last]);
  };
  const onKey = (key: Key): void => {
    if (!live || !key.enabled || !guard.admit(key.key)) return;
    if (key.opens === "next") setTold({ stage: view.stage, at: at + 1 });
    else if (key.opens === "pad") setPadWanted(!padWanted);
    else if (key.opens === "clear") chosen && void commands.run(key.key, [{ do: "clear", box: chosen.box }]);
    else void commands.run(key.key, key.acts);
  };
  const padOpen = prompt.pad !== null && (prompt.pad_opens || padWanted);
  const onPad = (act: Act): void => {
    if (live && guard.admit("pad")) void commands.run("pad", [act]);
  };
  const press = (key: string): boolean => {
    if (padOpen && prompt.pad && padKey(prompt, key, onPad)) return true;
    const item = prompt.bar.keys.find((one) =>
      one.hotkeys.some((hotkey) => hotkey.toLowerCase() === key.toLowerCase()),
    );
    if (item) onKey(item);
    else if (betting && key === "Backspace") undo();
    else if (betting && /^[1-7]$/.test(key)) select(Number(key));
    else return false;
    return true;
  };
  return {
    prompt,
    detail: withBets(prompt, chosen),
    betting,
    selection: chosen,
    padOpen,
    select,
    press,
    onKey,
    onChip,
    onPad,
    closePad: () => setPadWanted(false),
  };
}

function promptAt(view: TableView, at: number): Prompt {
  const prompt = view.prompts[Math.min(at, view.prompts.length - 1)];
  if (!prompt) throw new Error("a view has at least one prompt");
  return prompt;
}

/** What explains the line, and to whom the chips go while bets are open. */
function withBets(prompt: Prompt, chosen: Selection | null): readonly Words[] {
  if (chosen) {
    const code = chosen.seat === 0 ? "ui.bets_box" : "ui.bets_behind";
    return [{ code, params: { box: chosen.box, seat: chosen.seat } }, ...prompt.detail];
  }
  const choose: Words = { code: "ui.bets_choose", params: {} };
  return prompt.line.code === "line.PLACE_BETS" ? [choose, ...prompt.detail] : prompt.detail;
}

function padKey(prompt: Prompt, key: string, onPad: (act: Act) => void): boolean {
  const rank = rankOfKey(key);
  if (rank && prompt.pad) onPad(withRank(prompt.pad.rank_obs, rank));
  else if (key === "Escape" && prompt.pad?.not_a_card) onPad(prompt.pad.not_a_card);
  else return false;
  return true;
}

function meaning(prompt: Prompt): string {
  return prompt.bar.keys.map((key) => `${key.key}:${key.enabled}:${JSON.stringify(key.acts)}`).join();
}
