// The dealer's hand at the straight edge, with the total that lies open.
import { useI18n } from "../i18n/context";
import { dealerSentence } from "../i18n/sentences";
import type { DealerView } from "../view";
import { CARD_HEIGHT, type CardPick } from "./card";
import { Fan, fanPitch } from "./fan";
import { CENTRE, HEIGHT } from "./geometry";
import { Pill } from "./pill";
import { PressArea } from "./press-area";

const CARD = 74;
const ROOM = 330;

interface Props {
  dealer: DealerView;
  active: boolean;
  pick: CardPick | undefined;
  onTotal?: (() => void) | undefined;
}

/** The dealer's cards, framed while it is their turn; nothing before the first card lies there. */
export function DealerHand({ dealer, active, pick, onTotal }: Props) {
  const i18n = useI18n();
  const count = dealer.cards.length;
  if (count === 0) return null;
  const across = CARD + fanPitch(count, CARD, ROOM) * (count - 1);
  const x = CENTRE - 18;
  const y = HEIGHT - 166;
  const frame = {
    x: x - across / 2 - 14,
    y: y - 12,
    width: across + 28,
    height: CARD * CARD_HEIGHT + 24,
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
      <Fan cards={dealer.cards} x={x} y={y} width={CARD} room={ROOM} pick={pick} />
      {dealer.total !== null && (
        <g aria-hidden="true">
          <Pill
            x={x + across / 2 + 74}
            y={y + CARD * 0.69}
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
          <rect x={x + across / 2 + 26} y={y + CARD * 0.69 - 36} width={96} height={72} />
        </PressArea>
      )}
    </g>
  );
}
