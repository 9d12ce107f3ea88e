// The dealer's hand at the straight edge, with the total that lies open.
import { useI18n } from "../i18n/context";
import { dealerSentence } from "../i18n/sentences";
import type { DealerView } from "../view";
import type { CardPick } from "./card";
import { Fan, fanPitch } from "./fan";
import { CARD_HEIGHT, useLayout } from "./layout";
import { Pill } from "./pill";
import { PressArea } from "./press-area";

interface Props {
  dealer: DealerView;
  active: boolean;
  pick: CardPick | undefined;
  onTotal?: (() => void) | undefined;
}

/** The dealer's cards, framed while it is their turn; nothing before the first card lies there. */
export function DealerHand({ dealer, active, pick, onTotal }: Props) {
  const i18n = useI18n();
  const { x, y, card, room } = useLayout().dealer;
  const count = dealer.cards.length;
  if (count === 0) return null;
  const across = card + fanPitch(count, card, room) * (count - 1);
  const frame = {
    x: x - across / 2 - 14,
    y: y - 12,
    width: across + 28,
    height: card * CARD_HEIGHT + 24,
    rx: 16,
  };
  return (
    <g data-dealer="true" role={pick ? "group" : "img"} aria-label={dealerSentence(dealer, i18n)}>
      {active && (
        <>
          <rect class="halo-box" {...frame} />
          <rect class="frame-box" {...frame} />
        </>
      )}
      <Fan cards={dealer.cards} x={x} y={y} width={card} room={room} pick={pick} />
      {dealer.total !== null && (
        <g aria-hidden="true">
          <Pill
            x={x + across / 2 + 74}
            y={y + card * 0.69}
            text={dealer.total}
            size={dealer.total.length > 3 ? 34 : 44}
            width={dealer.total.length > 3 ? 104 : 86}
            look={active ? "tone" : "big"}
          />
        </g>
      )}
      {onTotal && dealer.total !== null && (
        <PressArea
          class="tap total"
          data-total="0.1"
          name={i18n.text("ui.look_and_turning")}
          onPress={onTotal}
        >
          <rect x={x + across / 2 + 26} y={y + card * 0.69 - 36} width={96} height={72} />
        </PressArea>
      )}
    </g>
  );
}
