// What the pit presses at this table: its stops and their ways out, and its bar.
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import type { Dialog } from "./dialog-kinds";
import { HoldList } from "./hold-list";
import { PitBar } from "./pit-bar";

interface Props {
  view: TableView;
  off: boolean;
  commands: Commands;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

/** Why the table waits, over the bar. */
export function PitControls({ view, off, commands, onByHand, onOpen, onLeave }: Props) {
  return (
    <>
      <HoldList view={view} off={off} onOpen={onOpen} />
      <PitBar
        view={view}
        off={off}
        onAct={(act) => void commands.run("pit", [act])}
        onSteps={(acts) => void commands.run("pit", acts)}
        onByHand={onByHand}
        onOpen={onOpen}
        onLeave={onLeave}
      />
    </>
  );
}
