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

const NOWHERE: Point = { x: CENTRE, y: 62 };

export const betSpot = (box: number): Point => BETS[box - 1] ?? NOWHERE;
export const handSpot = (box: number): Point => HANDS[box - 1] ?? NOWHERE;

export interface HandPlace {
  x: number;
  y: number;
  card: number;
  room: number;
  label: number;
}

/** Place and size of hand `index` of `count` on a box: the more hands, the smaller the cards. */
export function handPlace(box: number, index: number, count: number): HandPlace {
  const spot = handSpot(box);
  if (count === 1) return { ...spot, card: 52, room: 140, label: 25 };
  const pitch = count === 2 ? 88 : 176 / count;
  const card = count === 2 ? 42 : Math.max(26, pitch * 0.62);
  return {
    x: spot.x + (index - (count - 1) / 2) * pitch,
    y: spot.y,
    card,
    room: pitch - 6,
    label: count === 2 ? 21 : 17,
  };
}
