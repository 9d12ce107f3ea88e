// One hand of a box: its cards, its total or result.
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { HandView } from "../view";
import type { Outcome } from "../vocabulary";
import { CARD_HEIGHT, type CardPick } from "./card";
import { Fan, fanWidth } from "./fan";
import { handPlace } from "./geometry";
import { Pill, type PillLook } from "./pill";
import { PressArea } from "./press-area";

interface Mark {
  sign: "+" | "★" | "=" | "−";
  look: PillLook;
}

const WON: Mark = { sign: "+", look: "pay" };
const BLACKJACK: Mark = { sign: "★", look: "pay" };
const EVEN: Mark = { sign: "=", look: "push" };
const LOST: Mark = { sign: "−", look: "take" };

/** What the dealer does with the chips of a hand, by how it came out. */
const MARKS: Record<Outcome, Mark> = {
  win: WON,
  blackjack: BLACKJACK,
  even_money: BLACKJACK,
  push: EVEN,
  insured: EVEN,
  void: EVEN,
  lose: LOST,
  bust: LOST,
  surrender: LOST,
  insurance_lost: LOST,
};

/** The total of a hand, or "BJ", with the sign of its result once it has one. */
export function handLabel(
  { blackjack, total, outcome }: Pick<HandView, "blackjack" | "total" | "outcome">,
  i18n: I18n,
): string {
  const shown = blackjack ? i18n.text("ui.bj") : total;
  return outcome ? `${MARKS[outcome].sign} ${shown}` : shown;
}

interface Props {
  box: number;
  hand: HandView;
  index: number;
  counts: readonly number[];
  dim: boolean;
  pick: CardPick | undefined;
  onTotal: (() => void) | undefined;
}

/** Hand `index` of a box; `counts` are the hands of every box. What is written beside it covers no rank. */
export function Hand({ box, hand, index, counts, dim, pick, onTotal }: Props) {
  const i18n = useI18n();
  const place = handPlace(box, index, counts);
  const right = place.x + fanWidth(hand.cards.length, place.card, place.room) / 2;
  const look = hand.outcome ? MARKS[hand.outcome].look : hand.active ? "tone" : undefined;
  const low = place.y + place.card * CARD_HEIGHT;
  return (
    <g class={dim ? "hand dim" : "hand"} data-hand={`${box}.${hand.hand}`}>
      <Fan cards={hand.cards} x={place.x} y={place.y} width={place.card} room={place.room} pick={pick} />
      <g aria-hidden="true">
        <Pill
          x={place.x}
          y={low + place.label * 0.5}
          text={handLabel(hand, i18n)}
          size={place.label}
          look={look}
        />
        {hand.doubled && <Pill x={right} y={place.y} text="×2" size={Math.min(16, place.label)} look="act" />}
      </g>
      {onTotal && (
        <PressArea
          class="tap total"
          data-total={`${box}.${hand.hand}`}
          name={i18n.text("ui.decisions_of", { box, hand: hand.hand })}
          onPress={onTotal}
        >
          <rect
            x={place.x - place.label * 1.6}
            y={low - place.label * 0.3}
            width={place.label * 3.2}
            height={place.label * 1.7}
          />
        </PressArea>
      )}
    </g>
  );
}
