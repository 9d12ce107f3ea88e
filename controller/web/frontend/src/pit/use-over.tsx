// What lies over a table at a screen: the dialog that is open, the pit's pad, and what was refused.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ruleOf, type Training } from "../demo/training";
import { useI18n } from "../i18n/context";
import type { Language } from "../i18n/i18n";
import { useHotkeys } from "../shared/hotkeys";
import { padAct, RankPad } from "../shared/rank-pad";
import { RefusedContext, Toast } from "../shared/toast";
import type { Commands } from "../shared/use-commands";
import { useSounds } from "../shared/use-sounds";
import type { Prompt, SessionView, TableView } from "../view";
import { InAlert } from "./act-dialog";
import type { Chosen, Dialog } from "./dialog-kinds";
import { Dialogs } from "./dialogs";

interface At {
  view: TableView;
  off: boolean;
  session: SessionView;
  commands: Commands;
  prompt: Prompt;
  /** The pit works at this screen. */
  pit: boolean;
  /** It hears the alerts of all tables at once. */
  hearsAll?: boolean;
  training?: Training;
  onLanguage: (language: Language) => void;
  /** What is open when the screen is. */
  first?: Dialog | null;
  /** Whether the alert of an answer is still in sight; where none is, no ruling stands in one. */
  asks?: (chosen: Chosen) => boolean;
}

/** What a screen draws over its table, and how it opens it. */
export interface Over {
  open: (dialog: Dialog | null, within?: Chosen) => void;
  /** A dialog takes the keys. */
  busy: boolean;
  /** The ruling that is open inside an alert. */
  ruling: (Chosen & { form: ComponentChildren }) | null;
  enterByHand: () => void;
  /** The dialog and the pad; where no dialog is open, what was refused last. */
  drawn: ComponentChildren;
}

interface Opened {
  table: string;
  dialog: Dialog;
  within?: Chosen | undefined;
}

/** One at a time; whatever is open stays when the table moves. */
export function useOver({ asks, first = null, hearsAll = false, ...at }: At): Over {
  const { view, off, session, commands, prompt, pit } = at;
  const { knows } = useI18n();
  const [openedAt, setOpened] = useState<Opened | null>(first && { table: view.table, dialog: first });
  const [byHand, setByHand] = useState("");
  const sounds = useSounds({ view, prompt, live: !off, pit, hearsAll });
  const open: Over["open"] = (dialog, within) => setOpened(dialog && { table: view.table, dialog, within });
  const enterByHand = (): void => setByHand(view.table);
  // What was opened over one table goes with it.
  const opened = openedAt?.table === view.table ? openedAt : null;
  const within = opened?.within;
  const dialog = !within || asks?.(within) ? opened?.dialog : undefined;
  const form = dialog && (
    <Dialogs
      {...at}
      key={within && `${within.alert} ${within.way}`}
      dialog={dialog}
      demoPin={session.demo_pin}
      sounds={sounds}
      prompt={pit ? null : prompt}
      onByHand={enterByHand}
      onOpen={open}
      onClose={() => open(null)}
    />
  );
  const busy = form !== undefined && !within;
  const { refusal } = commands;
  // Who trains is told the rule at once; at a table that earns money the refusal alone is read faster.
  const rule = view.mode === "simulation" && refusal ? ruleOf(refusal, knows) : null;
  return {
    open,
    busy,
    ruling:
      within && form ? { ...within, form: <InAlert.Provider value={true}>{form}</InAlert.Provider> } : null,
    enterByHand,
    drawn: (
      <>
        {pit && byHand === view.table && <HandPad {...at} busy={busy} onClose={() => setByHand("")} />}
        <RefusedContext.Provider value={{ refusal, notice: view.notice, rule }}>
          {busy ? form : <Toast />}
        </RefusedContext.Provider>
      </>
    ),
  };
}

interface PadProps extends Pick<At, "view" | "off" | "commands"> {
  /** A dialog is open: keys are meant for it. */
  busy: boolean;
  onClose: () => void;
}

/** The pad for cards that no device has reported; it takes the keys that its heading names. */
function HandPad({ view, off, commands, busy, onClose }: PadProps) {
  const enter = (act: Parameters<Commands["run"]>[1][number]): void => void commands.run("pad", [act]);
  useHotkeys((key) => {
    if (busy || off) return false;
    const named = padAct(view.by_hand, key);
    if (named) enter(named);
    else if (key === "Escape") onClose();
    return named !== null || key === "Escape";
  });
  return <RankPad pad={view.by_hand} off={off} onAct={enter} onCall={commands.callPit} onClose={onClose} />;
}
