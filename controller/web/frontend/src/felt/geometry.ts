// Where things lie on the drawn table, in units of the picture (1240 x 468), from the dealer's eye point.
export const WIDTH = 1240;
export const HEIGHT = 468;
export const CENTRE = WIDTH / 2;
/** Radius of a betting circle: 72 pixels across on a tablet of 1024. */
export const CIRCLE = 45;

/** A place in units of the picture. */
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
  { x: 232, y: 316 },
  { x: 312, y: 176 },
  { x: 456, y: 130 },
  { x: 620, y: 136 },
  { x: 784, y: 130 },
  { x: 928, y: 176 },
  { x: 1008, y: 316 },
];

// Split hands share a strip beside the circle that touches neither a neighbour's cards nor a stake.
interface Strip {
  left: number;
  width: number;
  y: number;
}

const STRIPS: readonly Strip[] = [
  { left: 168, width: 210, y: 300 },
  { left: 249, width: 210, y: 208 },
  { left: 404, width: 138, y: 130 },
  { left: 551, width: 138, y: 137 },
  { left: 698, width: 138, y: 130 },
  { left: 781, width: 210, y: 208 },
  { left: 862, width: 210, y: 300 },
];

const MOST_FOR_TWO = 154;

const NOWHERE: Point = { x: CENTRE, y: 62 };

/** The middle of a box's circle. */
export const betSpot = (box: number): Point => BETS[box - 1] ?? NOWHERE;

/**
 * Where a hand lies: `x` is its middle, `y` the upper edge of its cards, `card` their width, `room` that of
 * all of them, `label` the size of its total.
 */
export interface HandPlace {
  x: number;
  y: number;
  card: number;
  room: number;
  label: number;
  /** The total stands beside the cards, at the right (1) or left (-1); below them where it is left out. */
  beside?: 1 | -1;
}

/** Three and more hands of a box need more than its strip, and get it where the neighbours leave it. */
const WIDE: Readonly<Record<number, Strip>> = {
  1: { left: 168, width: 256, y: 322 },
  2: { left: 296, width: 246, y: 241 },
  6: { left: 698, width: 246, y: 241 },
  7: { left: 816, width: 256, y: 322 },
};

/** Four hands in two rows beside the circle, where the neighbour's lie in two rows, too. */
const NARROW: Readonly<Record<number, Strip>> = {
  2: { left: 249, width: 150, y: 161 },
  6: { left: 841, width: 150, y: 161 },
};

/** The box whose third hand would need the same place. */
const RIVAL: Readonly<Record<number, number>> = { 2: 3, 3: 2, 5: 6, 6: 5 };

/** The least size of what is written on the felt: 14 pixels where the pit sees the table beside its ledger. */
export const LEAST = 18.5;
/** So many hands of one box lie in two rows, on the printed lines. */
export const MANY = 3;
const IN_A_ROW = 2;
const IN_ROWS = 2 * IN_A_ROW;

/**
 * Place and size of hand `index` of a box, in the order in which the hands lie and play, from the left. `counts`
 * are the hands of every box, from box 1 on.
 */
export function handPlace(box: number, index: number, counts: readonly number[]): HandPlace {
  const count = counts[box - 1] ?? 1;
  if (count === 1) return { ...(HANDS[box - 1] ?? NOWHERE), card: 57, room: 140, label: 25 };
  const strip = STRIPS[box - 1] ?? { left: CENTRE - 69, width: 138, y: 137 };
  if (count < MANY) return inStrip(strip, index, count, box > 4, Math.min(strip.width, MOST_FOR_TWO));
  if ((counts[(RIVAL[box] ?? 0) - 1] ?? 0) >= MANY) {
    // More than four hands in rows would come down to the dealer's cards.
    if (count > IN_ROWS) return inStrip(strip, index, count, false, strip.width);
    return inRows(NARROW[box] ?? strip, index);
  }
  const wide = WIDE[box];
  return wide ? inStrip(wide, index, count, false, wide.width) : inRows(strip, index);
}

function inStrip(strip: Strip, index: number, count: number, fromRight: boolean, used: number): HandPlace {
  const left = fromRight ? strip.left + strip.width - used : strip.left;
  const pitch = used / count;
  return {
    x: left + (index + 0.5) * pitch,
    y: strip.y,
    card: Math.min(42, Math.max(24, pitch * 0.66)),
    room: pitch - 4,
    label: Math.min(21, Math.max(LEAST, pitch * 0.3)),
  };
}

/** Two rows of two: at the far boxes there is more room below than beside. */
function inRows(strip: Strip, index: number): HandPlace {
  const pitch = strip.width / IN_A_ROW;
  const row = Math.floor(index / IN_A_ROW);
  return {
    x: strip.left + ((index % IN_A_ROW) + 0.5) * pitch,
    y: strip.y + row * 75,
    card: 38,
    room: pitch - 4,
    label: LEAST,
  };
}
