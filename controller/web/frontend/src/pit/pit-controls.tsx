// What the pit presses at this table: its bar, and over it the pad for cards that no device has reported.
import type { Act } from "../server/commands";
import { useHotkeys } from "../shared/hotkeys";
import { padAct, RankPad } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import type { Dialog } from "./dialog-kinds";
import { HoldList } from "./hold-list";
import { PitBar } from "./pit-bar";

interface Props {
  view: TableView;
  off: boolean;
  /** A dialog is open: keys are meant for it. */
  busy: boolean;
  commands: Commands;
  byHand: boolean;
  setByHand: (open: boolean) => void;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

/** The bar and, once it was called for, the pad, which takes the keys that its heading names. */
export function PitControls({ view, off, busy, commands, byHand, setByHand, onOpen, onLeave }: Props) {
  const enter = (act: Act): void => void commands.run("pad", [act]);
  useHotkeys((key) => {
    if (!byHand || busy || off) return false;
    const named = padAct(view.by_hand, key);
    if (named) enter(named);
    else if (key === "Escape") setByHand(false);
    return named !== null || key === "Escape";
  });
  return (
    <>
      <HoldList view={view} off={off} onOpen={onOpen} />
      <PitBar
        view={view}
        off={off}
        onAct={(act) => void commands.run("pit", [act])}
        onSteps={(acts) => void commands.run("pit", acts)}
        onByHand={() => setByHand(true)}
        onOpen={onOpen}
        onLeave={onLeave}
      />
      {byHand && (
        <RankPad
          pad={view.by_hand}
          off={off}
          onAct={enter}
          onCall={commands.callPit}
          onClose={() => setByHand(false)}
        />
      )}
    </>
  );
}
