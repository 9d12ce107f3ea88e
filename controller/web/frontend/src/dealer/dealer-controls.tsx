// What the dealer presses: the bottom bar, and over it the pad while a card has to be named.
import { RankPad } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import { BottomBar } from "./bottom-bar";
import type { DealerScreen } from "./use-dealer";

interface Props {
  view: TableView;
  screen: DealerScreen;
  off: boolean;
  commands: Commands;
}

/** The pad lies over the bar: nothing else is asked until the card has its rank. */
export function DealerControls({ view, screen, off, commands }: Props) {
  const { bar, pad, pad_opens: opensItself } = screen.prompt;
  return (
    <>
      <BottomBar
        bar={bar}
        kinds={view.chips}
        off={off}
        sent={commands.sent}
        onKey={screen.onKey}
        onChip={screen.onChip}
      />
      {pad && screen.padOpen && (
        <RankPad
          pad={pad}
          off={off}
          onAct={screen.onPad}
          onCall={commands.callPit}
          onClose={opensItself ? null : screen.closePad}
        />
      )}
    </>
  );
}
