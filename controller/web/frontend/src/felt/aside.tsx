// Cards that fit nowhere: they lie apart until the pit has ruled.
import type { OpenCard } from "../view";
import { CardFace } from "./card";
import { HEIGHT, WIDTH } from "./geometry";
import { Pill } from "./pill";

const CARD = 44;

interface Props {
  cards: readonly OpenCard[];
  onPick: ((card: number) => void) | undefined;
}

export function Aside({ cards, onPick }: Props) {
  return (
    <>
      {cards.map((card, index) => {
        const x = WIDTH - 400 + index * (CARD + 10);
        const y = HEIGHT - 98;
        return (
          <g key={card.card} data-fault={card.card} onClick={onPick ? () => onPick(card.card) : undefined}>
            <CardFace card={card} x={x} y={y} width={CARD} onPick={undefined} />
            <Pill x={x + CARD} y={y + 2} text="!" size={16} look="stop" />
          </g>
        );
      })}
    </>
  );
}
