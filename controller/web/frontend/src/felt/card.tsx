// One card: open, unread or face down. A face-down card is drawn from nothing but the fact that it lies there.
import type { HiddenCard, OpenCard } from "../view";
import { suitOf } from "../vocabulary";
import { CARD_HEIGHT } from "./layout";
import { memo } from "./memo";
import { PressArea } from "./press-area";
import { inkOf, SuitPath } from "./suit";

/** A card as the view has it: open, or known only to lie there. */
export type AnyCard = HiddenCard | OpenCard;

/** Whether nobody has turned the card yet. */
export const isHidden = (card: AnyCard): card is HiddenCard => "hidden" in card;

/** What a press on an open card does, by the card's number in the round. */
export interface CardPick {
  name: (card: number) => string;
  press: (card: number) => void;
}

interface Props {
  card: AnyCard;
  x: number;
  y: number;
  width: number;
  /** Left undefined where nothing comes of a press. */
  pick: CardPick | undefined;
}

/** A card with its upper left corner at x, y, in units of the drawing. */
export function CardFace({ card, x, y, width, pick }: Props) {
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
