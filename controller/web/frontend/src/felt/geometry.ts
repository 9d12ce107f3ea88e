// Where things lie on the drawn table, in units of the picture (1240 x 468), from the dealer's eye point.
export const WIDTH = 1240;
export const HEIGHT = 468;
export const CENTRE = WIDTH / 2;
export const CIRCLE = 36;

export interface Point {
  x: number;
  y: number;
}

const BETS: readonly Point[] = [
  { x: 112, y: 322 },
  { x: 196, y: 188 },
  { x: 372, y: 94 },
  { x: 620, y: 62 },
  { x: 868, y: 94 },
  { x: 1044, y: 188 },
  { x: 1128, y: 322 },
];

const HANDS: readonly Point[] = [
  { x: 236, y: 300 },
  { x: 312, y: 176 },
  { x: 456, y: 130 },
  { x: 620, y: 126 },
  { x: 784, y: 130 },
  { x: 928, y: 176 },
  { x: 1004, y: 300 },
];

// Split hands share a strip beside the circle that touches neither a neighbour's cards nor a stake.
const SPLIT_ROOM = 138;
const SPLITS: readonly Point[] = [
  { x: 237, y: 300 },
  { x: 318, y: 216 },
  { x: 473, y: 130 },
  { x: 620, y: 130 },
  { x: 767, y: 130 },
  { x: 922, y: 216 },
  { x: 1003, y: 300 },
];

const NOWHERE: Point = { x: CENTRE, y: 62 };

export const betSpot = (box: number): Point => BETS[box - 1] ?? NOWHERE;

export interface HandPlace {
  x: number;
  y: number;
  card: number;
  room: number;
  label: number;
}

/** Place and size of hand `index` of `count` on a box: the more hands, the smaller the cards. */
export function handPlace(box: number, index: number, count: number): HandPlace {
  if (count === 1) return { ...(HANDS[box - 1] ?? NOWHERE), card: 52, room: 140, label: 25 };
  const strip = SPLITS[box - 1] ?? NOWHERE;
  const pitch = SPLIT_ROOM / count;
  return {
    x: strip.x + (index - (count - 1) / 2) * pitch,
    y: strip.y,
    card: count === 2 ? 40 : Math.max(24, pitch * 0.66),
    room: pitch - 4,
    label: count === 2 ? 20 : count === 3 ? 15 : 12,
  };
}
