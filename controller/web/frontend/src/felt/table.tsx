// The drawn table: its print, and everything that lies on it.

import { useMemo, useRef } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { boxSentence, placedCard } from "../i18n/sentences";
import type { BoxView, FeltView, Prompt, TableView } from "../view";
import { BoxSpot, ChipKinds } from "./box";
import type { CardPick } from "./cards";
import { CENTRE, HEIGHT, MANY } from "./geometry";
import { Aside, DealerHand, Hand } from "./hands";
import { LAYOUTS, type Layout, LayoutContext, useLayout } from "./layout";
import { differs, memo, useStable } from "./parts";

const TRAY = ["#d9a92f", "#7a5bb5", "#23272d", "#3f9b6c", "#c8553d", "#c8553d", "#d98cb3"];

function outline(inset: number, low: number): string {
  const left = CENTRE - 609 + inset;
  const right = CENTRE + 609 - inset;
  const top = 4 + inset;
  const bottom = HEIGHT - 6 - low;
  const shoulder = top + 70;
  return (
    `M${left} ${bottom} H${right} V${bottom - 46} C${right} ${shoulder} ${CENTRE + 338} ${top} ${CENTRE} ${top} ` +
    `S${left} ${shoulder} ${left} ${bottom - 46}Z`
  );
}

/** The printed lines: an arc over the dealer's hand, below it for the pit, between that and the label of box 4; straight on an upright table. */
function arc(side: Layout["name"], across: number, high: number): string {
  if (side === "portrait") return `M100 ${high + 340} H700`;
  if (side === "portrait-pit") return `M100 ${443 - high} H700`;
  const [y, sweep] = side === "pit" ? [25, 0] : [HEIGHT - 28, 1];
  return `M${CENTRE - across} ${y} A${across} ${high} 0 0 ${sweep} ${CENTRE + across} ${y}`;
}

/** Cloth below the picture of an upright table: it is there to be seen where the keys leave more room. */
const NEAR_EDGE = 1100;

/** The rail and cloth of an upright table: a half circle at the far end, the straight edge at the bottom. */
const upright = (inset: number): string =>
  `M${4 + inset} ${NEAR_EDGE} V${330 + inset / 2} C${4 + inset} ${120 + inset} 180 ${4 + inset} 400 ${4 + inset} ` +
  `S${796 - inset} ${120 + inset} ${796 - inset} ${330 + inset / 2} V${NEAR_EDGE}Z`;

/** Rail, cloth, the two printed lines that the rules decide, and the tray. */
const Felt = memo(({ felt, printed }: { felt: FeltView; printed: boolean }) => {
  const i18n = useI18n();
  const { name: side } = useLayout();
  const stands = side === "portrait" || side === "portrait-pit";
  const turned =
    side === "pit"
      ? `rotate(180 ${CENTRE} ${HEIGHT / 2})`
      : side === "portrait-pit"
        ? "rotate(180 400 402)"
        : undefined;
  const [won, staked] = felt.blackjack_pays;
  const rule = felt.hits_soft_17 ? "ui.felt_hits_soft_17" : "ui.felt_stands_17";
  return (
    <g aria-hidden="true">
      <defs>
        <radialGradient id="felt" cx="50%" cy="92%" r="78%">
          <stop offset="0" stop-color="#1a4a42" />
          <stop offset=".62" stop-color="#113831" />
          <stop offset="1" stop-color="#0a2420" />
        </radialGradient>
        <linearGradient id="rail" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stop-color="#3a2a20" />
          <stop offset=".5" stop-color="#241a14" />
          <stop offset="1" stop-color="#171009" />
        </linearGradient>
        <filter id="glow" x="-60%" y="-60%" width="220%" height="220%">
          <feGaussianBlur stdDeviation="9" />
        </filter>
        <path id={`arc-pays-${side}`} d={arc(side, 640, 179)} />
        <path id={`arc-rule-${side}`} d={arc(side, 600, 159)} />
      </defs>
      <g transform={turned}>
        <path d={stands ? upright(0) : outline(0, 0)} fill="url(#rail)" stroke="#000" stroke-width={2} />
        <path d={stands ? upright(8) : outline(15, 4)} fill="url(#felt)" stroke="#05100e" stroke-width={3} />
      </g>
      {/* Cards lie on it: half a word beside them says nothing. */}
      <g class="print" display={printed || stands ? undefined : "none"}>
        <text class="weight-700" font-size={19} letter-spacing={3.5}>
          <textPath href={`#arc-pays-${side}`} startOffset="50%" text-anchor="middle">
            {i18n.text("ui.felt_pays", { won, staked })}
          </textPath>
        </text>
        <text class="weight-700" font-size={18.5} letter-spacing={1}>
          <textPath href={`#arc-rule-${side}`} startOffset="50%" text-anchor="middle">
            {i18n.text(rule)}
          </textPath>
        </text>
      </g>
      {!stands && (
        <g transform={turned}>
          <Tray />
        </g>
      )}
    </g>
  );
});

function Tray() {
  const y = HEIGHT - 30;
  return (
    <g>
      <rect x={CENTRE - 170} y={y - 13} width={340} height={26} rx={6} fill="#0a0d0f" stroke="#2a3a37" />
      {TRAY.map((colour, row) => (
        <g key={row} fill={colour}>
          {Array.from({ length: 11 }, (_, chip) => (
            <rect
              key={chip}
              x={CENTRE - 164 + row * 47.2 + chip * 4}
              y={y - 9}
              width={3.2}
              height={18}
              rx={1}
              opacity={0.4 + (chip % 3) * 0.06}
            />
          ))}
        </g>
      ))}
    </g>
  );
}

/** Width of the drawn shoe and rack, in units of the picture: "SCHLITTEN" is written on one of them. */
const CASE = 128;
const FROM_EDGE = 36;

/** Shoe at the dealer's left, discard rack at the right; `used` is the part of the shoe that is out. */
const ShoeAndRack = memo(({ used }: { used: number | null }) => {
  const i18n = useI18n();
  const { name: side, width, height } = useLayout();
  const pit = side === "pit" || side === "portrait-pit";
  const y = pit ? 38 : height - 38;
  const out = used ?? 0;
  // The shoe lies at the dealer's left, so at the right of whoever stands opposite.
  const [shoe, rack] = pit ? [width - FROM_EDGE - CASE, FROM_EDGE] : [FROM_EDGE, width - FROM_EDGE - CASE];
  return (
    <g class="furniture" aria-hidden="true">
      <g transform={`translate(${shoe} ${y - 20})`}>
        <rect class="case" width={CASE} height={40} rx={8} />
        <rect class="stock" x={7} y={7} width={(CASE - 14) * (1 - out)} height={26} rx={4} />
      </g>
      <text class="weight-700" x={shoe + CASE / 2} y={y + 6.5} text-anchor="middle">
        {i18n.text("ui.shoe_print")}
      </text>
      <g transform={`translate(${rack} ${y - 20})`}>
        <rect class="case" width={CASE} height={40} rx={8} />
        {Array.from({ length: Math.round(out * 9) }, (_, row) => (
          <rect key={row} class="stock" x={9} y={33 - row * 3.4} width={CASE - 18} height={2.2} rx={1} />
        ))}
      </g>
      <text class="weight-700" x={rack + CASE / 2} y={y + 6.5} text-anchor="middle">
        {i18n.text("ui.discard_print")}
      </text>
    </g>
  );
});

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
