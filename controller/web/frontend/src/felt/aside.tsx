// Cards that fit nowhere: they lie apart until the pit has ruled.
import type { OpenCard } from "../view";
import { CardFace, type CardPick } from "./card";
import { useLayout } from "./layout";
import { Pill } from "./pill";
import { PressArea } from "./press-area";

const CARD = 44;

interface Props {
  cards: readonly OpenCard[];
  nameOf: (card: number) => string;
  pick: CardPick | undefined;
}

/** The cards side by side at the right of the tray, each marked with "!". */
export function Aside({ cards, nameOf, pick }: Props) {
  const { aside } = useLayout();
  return (
    <>
      {cards.map((card, index) => {
        const x = aside.x + index * (CARD + 10);
        const y = aside.y;
        const drawn = (
          <>
            <CardFace card={card} x={x} y={y} width={CARD} pick={undefined} />
            <Pill x={x + CARD} y={y + 2} text="!" size={16} look="stop" />
          </>
        );
        return pick ? (
          <PressArea
            key={card.card}
            class="pickable"
            data-fault={card.card}
            name={nameOf(card.card)}
            onPress={() => pick.press(card.card)}
          >
            {drawn}
          </PressArea>
        ) : (
          <g key={card.card} data-fault={card.card} role="img" aria-label={nameOf(card.card)}>
            {drawn}
          </g>
        );
      })}
    </>
  );
}
