// The whole table from the dealer's side: box 1 at the left, the straight edge at the bottom.
import { useMemo, useRef } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { boxSentence, placedCard } from "../i18n/sentences";
import type { BoxView, Prompt, TableView } from "../view";
import { Aside } from "./aside";
import { BoxSpot } from "./box";
import type { CardPick } from "./card";
import { ChipKinds } from "./chip";
import { DealerHand } from "./dealer-hand";
import { MANY } from "./geometry";
import { Hand } from "./hand";
import { LAYOUTS, type Layout, LayoutContext } from "./layout";
import { differs, memo, useStable } from "./memo";
import { Felt, ShoeAndRack } from "./print";

/** What is drawn, and what comes of a press on it. */
export interface TableProps {
  view: TableView;
  prompt: Prompt;
  /** The box that the chips go to. */
  selected?: number | null;
  /** A press on a circle lays what is in hand. */
  lays?: boolean;
  /** Left out where nothing comes of a press, as with `onCard`. */
  onBox?: ((box: number) => void) | undefined;
  onCard?: ((card: number) => void) | undefined;
  /** A press on the total of a hand, and of the dealer. */
  onHand?: ((box: number, hand: number) => void) | undefined;
  onDealer?: (() => void) | undefined;
  /** From which side, and in which shape, the table is drawn. */
  side?: Layout["name"];
}

/** The drawing of a view; what can be pressed in it depends on who looks, and when. */
export function Table({
  view,
  prompt,
  selected = null,
  lays = false,
  onBox,
  onCard,
  onHand,
  onDealer,
  side = "dealer",
}: TableProps) {
  const layout = LAYOUTS[side];
  const i18n = useI18n();
  const nameOf = useStable((card: number): string => placedCard(view, card, i18n));
  const pressCard = useStable((card: number) => onCard?.(card));
  const pressBox = useStable((box: number) => onBox?.(box));
  const pressHand = useStable((box: number, hand: number) => onHand?.(box, hand));
  const picked = useMemo(() => ({ name: nameOf, press: pressCard }), [nameOf, pressCard]);
  const pick = onCard && picked;
  const boxes = useDrawnBoxes(view.boxes);
  const hands = boxes.map((box) => box.hands.length).join();
  const counts = useMemo(() => hands.split(",").map(Number), [hands]);
  const dims = prompt.box !== null;
  return (
    <LayoutContext.Provider value={layout}>
      <ChipKinds.Provider value={view.chips}>
        <svg
          class="table block whole-width whole-height"
          data-side={side}
          preserveAspectRatio={side === "portrait" ? "xMidYMin" : undefined}
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          role="group"
          aria-label={i18n.text("ui.table_picture")}
          data-tone={prompt.tone}
        >
          <Felt felt={view.felt} printed={Math.max(...counts) < MANY} />
          <ShoeAndRack used={view.shoe_used} />
          {boxes.map((box) => {
            const glow = (selected ?? prompt.box) === box.box;
            return (
              <Box
                key={box.box}
                box={box}
                dims={dims}
                glow={glow}
                acting={glow ? prompt.hand : null}
                lays={lays}
                counts={counts}
                onBox={onBox && pressBox}
                onHand={onHand && pressHand}
                pick={pick}
              />
            );
          })}
          <Aside cards={view.aside} nameOf={nameOf} pick={pick} />
          <DealerHand dealer={view.dealer} active={prompt.dealer} pick={pick} onTotal={onDealer} />
        </svg>
      </ChipKinds.Provider>
    </LayoutContext.Provider>
  );
}

/** The boxes as they are drawn: one of which only the press has changed stays the same object. */
function useDrawnBoxes(boxes: readonly BoxView[]): readonly BoxView[] {
  const kept = useRef(new Map<number, BoxView>());
  return boxes.map((box) => {
    const before = kept.current.get(box.box);
    if (before && !differs({ ...before, press: null }, { ...box, press: null })) return before;
    kept.current.set(box.box, box);
    return box;
  });
}

interface BoxProps {
  box: BoxView;
  /** The line is about a box: the others step back. */
  dims: boolean;
  glow: boolean;
  /** The hand that the line is about, in a box that glows. */
  acting: number | null;
  lays: boolean;
  counts: readonly number[];
  onBox: TableProps["onBox"];
  onHand: TableProps["onHand"];
  pick: CardPick | undefined;
}

/** A box with its hands: one sentence to a reader, but for what can be pressed in it. */
const Box = memo(({ box, dims, glow, acting, lays, counts, onBox, onHand, pick }: BoxProps) => {
  const i18n = useI18n();
  // While bets are open the circle is a button, and carries the sentence itself.
  const role = onBox ? {} : ({ role: pick ? "group" : "img", "aria-label": boxSentence(box, i18n) } as const);
  return (
    <g {...role}>
      <BoxSpot box={box} dim={dims && !glow} glow={glow} lays={lays} onTap={onBox} />
      {box.hands.map((hand, index) => (
        <Hand
          key={hand.hand}
          box={box.box}
          hand={hand}
          index={index}
          counts={counts}
          dim={dims && (!glow || (acting !== null && acting !== hand.hand))}
          pick={pick}
          onTotal={onHand && (() => onHand(box.box, hand.hand))}
        />
      ))}
    </g>
  );
});
