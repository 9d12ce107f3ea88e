// Where things lie on a table that is drawn upright, in units of a picture of 800 x 804.
import type { HandPlace, Point } from "./geometry";

const BETS: readonly Point[] = [
  { x: 68, y: 600 },
  { x: 68, y: 424 },
  { x: 112, y: 247 },
  { x: 286, y: 74 },
  { x: 688, y: 247 },
  { x: 732, y: 424 },
  { x: 732, y: 600 },
];

/** Beside the circle, on its inner side. */
const FROM_CIRCLE = 62;
const CARD = 64;
const SPLIT = 56;
const ROOM = 150;
/** Three and four hands of a box stand in two rows of two. */
const SMALL = 44;
const SMALL_ROOM = 74;

/** Half of a card: hands stand with their middle at their circle's. */
const HALF = 0.69;

/** The middle of a box's circle. */
export const portraitBet = (box: number): Point => BETS[box - 1] ?? { x: 400, y: 400 };

/** Which way the table's middle lies from a box: the far box has its cards at its right. */
const inward = (box: number): 1 | -1 => (box > 4 ? -1 : 1);

/** Hand `index` of a box; its total stands beside its cards, on the inner side. */
export function portraitHand(box: number, index: number, counts: readonly number[]): HandPlace {
  const { x, y } = portraitBet(box);
  const side = inward(box);
  const count = counts[box - 1] ?? 1;
  if (count > 2) return inRows({ x, y }, side, index);
  const card = count === 1 ? CARD : SPLIT;
  const step = SPLIT * 2 * HALF + 12;
  // The far box lies near the rail: its upper hand keeps clear of it.
  const top = count === 1 ? y - card * HALF : Math.max(y - step, 0) + index * step + 6;
  const middle = x + side * (FROM_CIRCLE + ROOM / 2);
  return { x: middle, y: top, card, room: ROOM, label: count === 1 ? 28 : 24, beside: side };
}

const ACROSS = 800;
const HIGH = 804;
/** Room for the stake under the circle of the box at the near end. */
const FROM_EDGE = 20;
/** Cards stand upright for the pit, too: seen from there they hang a little lower under their circle's middle. */
const CARD_HEIGHT = 2 * HALF;

/** The same table from behind the players: the dealer at the top, box 1 at the right. */
export const portraitPitBet = (box: number): Point => {
  const { x, y } = portraitBet(box);
  return { x: ACROSS - x, y: HIGH - y - FROM_EDGE };
};

/** Hand `index` of a box as the pit sees it. */
export function portraitPitHand(box: number, index: number, counts: readonly number[]): HandPlace {
  const place = portraitHand(box, index, counts);
  const turned = { x: ACROSS - place.x, y: HIGH - FROM_EDGE - place.y - place.card * CARD_HEIGHT };
  return { ...place, ...turned, ...(place.beside && { beside: place.beside === 1 ? -1 : 1 }) };
}

function inRows({ x, y }: Point, side: 1 | -1, index: number): HandPlace {
  const column = index % 2;
  const row = Math.floor(index / 2);
  const first = x + side * (FROM_CIRCLE + SMALL_ROOM / 2);
  return {
    x: first + side * column * (SMALL_ROOM + 8),
    y: Math.max(y - 84, 8) + row * 84,
    card: SMALL,
    room: SMALL_ROOM,
    label: 20,
  };
}
