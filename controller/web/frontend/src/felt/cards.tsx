// Cards of the felt: suit signs, a card open, unread or face down, a fan of them.

import type { HiddenCard, OpenCard } from "../view";
import { type Suit, suitOf } from "../vocabulary";
import { CARD_HEIGHT } from "./layout";
import { memo, PressArea } from "./parts";

const PATHS: Record<Suit, string> = {
  h: "M10 18C4 13 1 10 1 6.4A4.6 4.6 0 0 1 10 4.6 4.6 4.6 0 0 1 19 6.4C19 10 16 13 10 18Z",
  d: "M10 1 17.5 10 10 19 2.5 10Z",
  s: "M10 1C13 6 19 8 19 12.3A4.2 4.2 0 0 1 11.6 15L13 19H7L8.4 15A4.2 4.2 0 0 1 1 12.3C1 8 7 6 10 1Z",
  c: "M10 1A4.3 4.3 0 0 1 13.4 8 4.3 4.3 0 1 1 11.5 14.6L13 19H7L8.5 14.6A4.3 4.3 0 1 1 6.6 8 4.3 4.3 0 0 1 10 1Z",
};

const isRed = (suit: Suit | null): boolean => suit === "h" || suit === "d";

/** How a suit is printed: red or black, and in a colour of its own where the device wants four. */
const inkOf = (suit: Suit | null): string => `${isRed(suit) ? "red " : ""}${suit ? `suit-${suit}` : ""}`;

/** A suit's sign inside a drawing, its field put where `transform` says. */
function SuitPath({ suit, transform }: { suit: Suit; transform?: string }) {
  return <path class={`suit ${inkOf(suit)}`} d={PATHS[suit]} transform={transform} />;
}

/** A suit's sign alone. */
export function SuitSign({ suit }: { suit: Suit }) {
  return (
    <svg viewBox="-2 -2 24 24" aria-hidden="true">
      <SuitPath suit={suit} />
    </svg>
  );
}

/** A card as the view has it: open, or known only to lie there. */
export type AnyCard = HiddenCard | OpenCard;

/** Whether nobody has turned the card yet. */
const isHidden = (card: AnyCard): card is HiddenCard => "hidden" in card;

/** What a press on an open card does, by the card's number in the round. */
export interface CardPick {
  name: (card: number) => string;
  press: (card: number) => void;
}

interface CardProps {
  card: AnyCard;
  x: number;
  y: number;
  width: number;
  /** Left undefined where nothing comes of a press. */
  pick: CardPick | undefined;
}

/** A card with its upper left corner at x, y, in units of the drawing. */
export function CardFace({ card, x, y, width, pick }: CardProps) {
  const height = width * CARD_HEIGHT;
  const at = `translate(${x} ${y})`;
  if (isHidden(card)) return <Back at={at} width={width} height={height} />;
  const drawn =
    card.rank === null ? (
      <Unread width={width} height={height} />
    ) : (
      <Face rank={card.rank} suit={card.suit} width={width} height={height} />
    );
  if (!pick) {
    return (
      <g transform={at} class="card" data-card={card.card}>
        {drawn}
      </g>
    );
  }
  const number = card.card;
  return (
    <PressArea
      transform={at}
      class="card pickable"
      data-card={number}
      name={pick.name(number)}
      onPress={() => pick.press(number)}
    >
      {drawn}
    </PressArea>
  );
}

interface Size {
  width: number;
  height: number;
}

const Face = memo(({ rank, suit: letter, width, height }: Size & { rank: string; suit: string | null }) => {
  const suit = suitOf(letter);
  const size = width * 0.4;
  const corner = `translate(${width * 0.09} ${height - size - width * 0.12}) scale(${size / 20})`;
  return (
    <>
      <rect class="card-shade" x={1.5} y={3} width={width} height={height} rx={width * 0.12} />
      <rect class="card-face" width={width} height={height} rx={width * 0.12} />
      <text
        class={`rank ${inkOf(suit)}`}
        x={width * 0.09}
        y={width * 0.56}
        font-size={width * 0.58}
        textLength={rank.length > 1 ? width * 0.5 : undefined}
        lengthAdjust="spacingAndGlyphs"
      >
        {rank}
      </text>
      {suit && <SuitPath suit={suit} transform={corner} />}
    </>
  );
});

function Unread({ width, height }: Size) {
  return (
    <>
      <rect class="card-unread" width={width} height={height} rx={width * 0.12} />
      <text class="rank ask" x={width / 2} y={height * 0.68} font-size={width * 0.72} text-anchor="middle">
        ?
      </text>
    </>
  );
}

function Back({ at, width, height }: Size & { at: string }) {
  return (
    <g transform={at} class="card" data-hidden="true">
      <rect class="card-shade" x={1.5} y={3} width={width} height={height} rx={width * 0.12} />
      <rect class="card-back" width={width} height={height} rx={width * 0.12} />
      <rect
        class="card-back-frame"
        x={width * 0.1}
        y={width * 0.1}
        width={width * 0.8}
        height={height - width * 0.2}
        rx={width * 0.06}
      />
    </g>
  );
}

/** The part of a card that has to stay visible for its rank to be read. */
const RANK_SHOWS = 0.44;
/** How far apart cards lie, in card widths, where there is room. */
const PITCH = 0.6;

interface FanProps {
  cards: readonly AnyCard[];
  x: number;
  y: number;
  width: number;
  room: number;
  pick: CardPick | undefined;
}

/** A fan of cards around x, squeezed into `room`: the cards shrink before they hide each other's ranks. */
export function Fan({ cards, x, y, width: wanted, room, pick }: FanProps) {
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
