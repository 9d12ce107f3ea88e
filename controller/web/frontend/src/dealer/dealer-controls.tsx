// What the dealer presses: the bottom bar, who bets on the chosen box, and the pads over the bar.
import { RankPad } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { Prompt, TableView } from "../view";
import { paidBettors } from "./amount";
import { AmountPad } from "./amount-pad";
import { BottomBar } from "./bottom-bar";
import { SeatList } from "./seat-list";
import type { Selection } from "./selection";
import type { DealerScreen } from "./use-dealer";

interface Props {
  view: TableView;
  screen: DealerScreen;
  off: boolean;
  commands: Commands;
}

/** The bettor at the box of the line to whom something is still to be paid. */
const paidFirst = (view: TableView, { box: number }: Prompt): Selection | null =>
  view.boxes.filter(({ box }) => box === number).flatMap(paidBettors)[0] ?? null;

/** A pad lies over the bar: nothing else is asked until it is answered or closed. */
export function DealerControls({ view, screen, off, commands }: Props) {
  const { bar, pad, pad_opens: opensItself, amount_for: kind } = screen.prompt;
  const { bets } = screen;
  return (
    <>
      <BottomBar bar={bar} kinds={view.chips} off={off} sent={commands.sent} bets={bets} onKey={screen.onKey}>
        {bets.selection && view.felt.back_bets !== 0 && (
          <SeatList view={view} selection={bets.selection} onChoose={bets.choose} />
        )}
      </BottomBar>
      {kind && bets.typing && (
        <AmountPad
          // At each box that is paid it begins anew, with whom the line names.
          key={kind === "given" ? screen.prompt.box : kind}
          view={view}
          kind={kind}
          start={kind === "given" ? paidFirst(view, screen.prompt) : bets.selection}
          off={off}
          onAct={(act) => void commands.run("AMOUNT", [act])}
          onCall={commands.callPit}
          onClose={() => bets.type(false)}
        />
      )}
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
