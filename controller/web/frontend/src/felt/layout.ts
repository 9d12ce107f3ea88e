// The table from each side and in each shape: the same places, found anew for whoever looks.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { betSpot, CENTRE, CIRCLE, type HandPlace, HEIGHT, handPlace, type Point, WIDTH } from "./geometry";
import { portraitBet, portraitHand, portraitPitBet, portraitPitHand } from "./portrait";

/** Height of a card in widths. */
export const CARD_HEIGHT = 1.38;

/** Where everything lies in one drawing of the table. */
export interface Layout {
  name: "dealer" | "pit" | "portrait" | "portrait-pit";
  width: number;
  height: number;
  /** Radius of a circle. */
  circle: number;
  betSpot: (box: number) => Point;
  handPlace: (box: number, index: number, counts: readonly number[]) => HandPlace;
  /** The middle of the dealer's hand, the upper edge of its cards, their width and the room for all. */
  dealer: Point & { card: number; room: number };
  /** The upper left corner of the first card that fits nowhere. */
  aside: Point;
}

/** From the dealer's eye point: the straight edge at the bottom, box 1 at the left. */
const DEALER: Layout = {
  name: "dealer",
  width: WIDTH,
  height: HEIGHT,
  circle: CIRCLE,
  betSpot,
  handPlace,
  dealer: { x: CENTRE - 18, y: HEIGHT - 166, card: 74, room: 330 },
  aside: { x: WIDTH - 400, y: HEIGHT - 98 },
};

/** How much nearer to the dealer cards and circles stand seen from the pit: totals and stakes hang below them there. */
const CARDS_UP = [22, 34, 44, 51, 44, 34, 22];
const CIRCLES_UP = [4, 14, 26, 27, 26, 14, 4];

/** How much farther from its circle a hand of these boxes lies seen from the pit: its result hangs where the money stands. */
const ASIDE: Readonly<Record<number, number>> = { 3: -16, 5: 16 };

/** From behind the players: the dealer at the top, box 1 at the right. Cards stand upright for the pit. */
const PIT: Layout = {
  ...DEALER,
  name: "pit",
  betSpot: (box) => {
    const { x, y } = betSpot(box);
    return { x: WIDTH - x, y: HEIGHT - y - (CIRCLES_UP[box - 1] ?? 0) };
  },
  handPlace: (box, index, counts) => {
    const place = handPlace(box, index, counts);
    const y = HEIGHT - place.y - place.card * CARD_HEIGHT - (CARDS_UP[box - 1] ?? 0);
    const aside = counts[box - 1] === 1 ? (ASIDE[box] ?? 0) : 0;
    return { ...place, x: WIDTH - place.x + aside, y };
  },
  dealer: { x: CENTRE - 18, y: 157 - 74 * CARD_HEIGHT, card: 74, room: 330 },
  aside: { x: 320, y: 40 },
};

/** A tablet that stands upright: the arc of the real table, the dealer's hand near the keys. */
const PORTRAIT: Layout = {
  name: "portrait",
  width: 800,
  height: 804,
  // 72 pixels across also where insurance has three rows of keys and leaves the felt nine tenths of its height.
  circle: 40,
  betSpot: portraitBet,
  handPlace: portraitHand,
  dealer: { x: 372, y: 672, card: 82, room: 330 },
  aside: { x: 520, y: 640 },
};

/** The same from behind the players, for a pit with a tablet in his hand. */
const PORTRAIT_PIT: Layout = {
  ...PORTRAIT,
  name: "portrait-pit",
  betSpot: portraitPitBet,
  handPlace: portraitPitHand,
  dealer: { x: 372, y: 24, card: 82, room: 330 },
  aside: { x: 100, y: 60 },
};

export const LAYOUTS = {
  dealer: DEALER,
  pit: PIT,
  portrait: PORTRAIT,
  "portrait-pit": PORTRAIT_PIT,
} as const;

/** The drawing that everything below stands in. */
export const LayoutContext = createContext<Layout>(DEALER);

/** Where things lie in this drawing. */
export const useLayout = (): Layout => useContext(LayoutContext);
