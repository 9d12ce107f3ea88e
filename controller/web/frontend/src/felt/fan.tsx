// The cards of a hand, fanned so that every rank can be read.
import { type AnyCard, CardFace, type CardPick } from "./card";

/** The part of a card that has to stay visible for its rank to be read. */
const RANK_SHOWS = 0.44;
/** How far apart cards lie, in card widths, where there is room. */
const PITCH = 0.6;

interface Props {
  cards: readonly AnyCard[];
  x: number;
  y: number;
  width: number;
  room: number;
  pick: CardPick | undefined;
}

/** A fan of cards around x, squeezed into `room`: the cards shrink before they hide each other's ranks. */
export function Fan({ cards, x, y, width: wanted, room, pick }: Props) {
  const count = cards.length;
  const width = Math.min(wanted, room / (1 + RANK_SHOWS * (count - 1)));
  const pitch = fanPitch(count, width, room);
  const left = x - (width + pitch * (count - 1)) / 2;
  return (
    <>
      {cards.map((card, index) => (
        <CardFace key={index} card={card} x={left + index * pitch} y={y} width={width} pick={pick} />
      ))}
    </>
  );
}

/** The width of a fan of `count` cards that are `wanted` wide where there is room. */
export function fanWidth(count: number, wanted: number, room: number): number {
  const width = Math.min(wanted, room / (1 + RANK_SHOWS * (count - 1)));
  return width + fanPitch(count, width, room) * (count - 1);
}

/** The distance between the left edges of two neighbours. */
export function fanPitch(count: number, width: number, room: number): number {
  return count > 1 ? Math.min(width * PITCH, (room - width) / (count - 1)) : 0;
}
