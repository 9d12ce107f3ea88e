// The whole table from the dealer's side: box 1 at the left, the straight edge at the bottom.
import { useI18n } from "../i18n/context";
import type { Prompt, TableView } from "../view";
import { Aside } from "./aside";
import { BoxSpot } from "./box";
import { ChipKinds } from "./chip";
import { DealerHand } from "./dealer-hand";
import { HEIGHT, WIDTH } from "./geometry";
import { Hand } from "./hand";
import { Felt, ShoeAndRack } from "./print";

interface Props {
  view: TableView;
  prompt: Prompt;
  selected: number | null;
  onBox: ((box: number) => void) | undefined;
  onCard: ((card: number) => void) | undefined;
}

export function Table({ view, prompt, selected, onBox, onCard }: Props) {
  const i18n = useI18n();
  const bright = selected ?? prompt.box;
  const dims = prompt.box !== null;
  return (
    <ChipKinds.Provider value={view.chips}>
      <svg
        class="table"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={i18n.text("ui.table_picture")}
        data-tone={prompt.tone}
      >
        <Felt felt={view.felt} />
        <ShoeAndRack used={view.shoe_used} />
        {view.boxes.map((box) => {
          const glow = bright === box.box;
          return (
            <g key={box.box}>
              <BoxSpot box={box} dim={dims && !glow} glow={glow} onTap={onBox} />
              {box.hands.map((hand, index) => (
                <Hand
                  key={hand.hand}
                  box={box.box}
                  hand={hand}
                  index={index}
                  count={box.hands.length}
                  dim={dims && (!glow || (prompt.hand !== null && prompt.hand !== hand.hand))}
                  onPick={onCard}
                />
              ))}
            </g>
          );
        })}
        <Aside cards={view.aside} onPick={onCard} />
        <DealerHand dealer={view.dealer} active={prompt.dealer} onPick={onCard} />
      </svg>
    </ChipKinds.Provider>
  );
}
