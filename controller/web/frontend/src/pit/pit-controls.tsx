// What the pit presses at this table: its bar, and over it the pad for cards that no device has reported.
import { useState } from "preact/hooks";
import { RankPad } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import type { Dialog } from "./dialogs";
import { PitBar } from "./pit-bar";

interface Props {
  view: TableView;
  off: boolean;
  commands: Commands;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

export function PitControls({ view, off, commands, onOpen, onLeave }: Props) {
  const [byHand, setByHand] = useState(false);
  return (
    <>
      <PitBar
        view={view}
        off={off}
        onAct={(act) => void commands.run("pit", [act])}
        onByHand={() => setByHand(true)}
        onOpen={onOpen}
        onLeave={onLeave}
      />
      {byHand && (
        <RankPad
          pad={view.by_hand}
          off={off}
          onAct={(act) => void commands.run("pad", [act])}
          onCall={commands.callPit}
          onClose={() => setByHand(false)}
        />
      )}
    </>
  );
}
