// One card: open, unread or face down. A face-down card is drawn from nothing but the fact that it lies there.
import type { HiddenCard, OpenCard } from "../view";

export type AnyCard = HiddenCard | OpenCard;

const TALL = 1.38;

// Suit signs in a 20 x 20 field, drawn as paths: fonts differ, and some make emoji of them.
const SUITS: Record<string, string> = {
  h: "M10 18C4 13 1 10 1 6.4A4.6 4.6 0 0 1 10 4.6 4.6 4.6 0 0 1 19 6.4C19 10 16 13 10 18Z",
  d: "M10 1 17.5 10 10 19 2.5 10Z",
  s: "M10 1C13 6 19 8 19 12.3A4.2 4.2 0 0 1 11.6 15L13 19H7L8.4 15A4.2 4.2 0 0 1 1 12.3C1 8 7 6 10 1Z",
  c: "M10 1A4.3 4.3 0 0 1 13.4 8 4.3 4.3 0 1 1 11.5 14.6L13 19H7L8.5 14.6A4.3 4.3 0 1 1 6.6 8 4.3 4.3 0 0 1 10 1Z",
};

const isHidden = (card: AnyCard): card is HiddenCard => "hidden" in card;

interface Props {
  card: AnyCard;
  x: number;
  y: number;
  width: number;
  onPick: ((card: number) => void) | undefined;
}

export function CardFace({ card, x, y, width, onPick }: Props) {
  const height = width * TALL;
  const at = `translate(${x} ${y})`;
  if (isHidden(card)) return <Back at={at} width={width} height={height} />;
  const picks = onPick ? () => onPick(card.card) : undefined;
  return (
    <g transform={at} class={picks ? "card pickable" : "card"} data-card={card.card} onClick={picks}>
      {card.rank === null ? (
        <Unread width={width} height={height} />
      ) : (
        <Face rank={card.rank} suit={card.suit} width={width} height={height} />
      )}
    </g>
  );
}

/** A suit's sign alone, on paper. */
export function SuitSign({ suit }: { suit: string }) {
  return (
    <svg viewBox="-2 -2 24 24" aria-hidden="true">
      <path class={suit === "h" || suit === "d" ? "suit red" : "suit"} d={SUITS[suit]} />
    </svg>
  );
}

interface Size {
  width: number;
  height: number;
}

function Face({ rank, suit, width, height }: Size & { rank: string; suit: string | null }) {
  const sign = suit === null ? undefined : SUITS[suit];
  const red = suit === "h" || suit === "d";
  const size = width * 0.4;
  return (
    <>
      <rect class="card-shade" x={1.5} y={3} width={width} height={height} rx={width * 0.12} />
      <rect class="card-face" width={width} height={height} rx={width * 0.12} />
      <text
        class={red ? "rank red" : "rank"}
        x={width * 0.09}
        y={width * 0.56}
        font-size={width * 0.58}
        textLength={rank.length > 1 ? width * 0.5 : undefined}
        lengthAdjust="spacingAndGlyphs"
      >
        {rank}
      </text>
      {sign && (
        <path
          class={red ? "suit red" : "suit"}
          d={sign}
          transform={`translate(${width * 0.09} ${height - size - width * 0.12}) scale(${size / 20})`}
        />
      )}
    </>
  );
}

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

interface FanProps {
  cards: readonly AnyCard[];
  x: number;
  y: number;
  width: number;
  room: number;
  onPick: ((card: number) => void) | undefined;
}

/** The part of a card that has to stay visible for its rank to be read. */
const RANK_SHOWS = 0.44;

/** A fan of cards around x, squeezed into `room`: the cards shrink before they hide each other's ranks. */
export function Fan({ cards, x, y, width: wanted, room, onPick }: FanProps) {
  const count = cards.length;
  const width = Math.min(wanted, room / (1 + RANK_SHOWS * (count - 1)));
  const pitch = count > 1 ? Math.min(width * 0.6, (room - width) / (count - 1)) : 0;
  const left = x - (width + pitch * (count - 1)) / 2;
  return (
    <>
      {cards.map((card, index) => (
        <CardFace key={index} card={card} x={left + index * pitch} y={y} width={width} onPick={onPick} />
      ))}
    </>
  );
}
