// The hands on the felt: a box's, the dealer's, and cards set aside.
import { type I18n, useI18n } from "../i18n/i18n";
import { dealerSentence } from "../i18n/sentences";
import type { DealerView, HandView, OpenCard } from "../view";
import type { Outcome } from "../vocabulary";
import { CardFace, type CardPick, Fan, fanPitch, fanWidth } from "./cards";
import { LEAST } from "./geometry";
import { CARD_HEIGHT, useLayout } from "./layout";
import { Pill, PressArea } from "./parts";

interface Mark {
  /** The word in front of the total: a sign would make money of it. */
  word: "win" | "push" | "lose" | null;
  look: "pay" | "push" | "take";
}

const WON: Mark = { word: "win", look: "pay" };
const BLACKJACK: Mark = { word: null, look: "pay" };
const EVEN: Mark = { word: "push", look: "push" };
const LOST: Mark = { word: "lose", look: "take" };

/** What the dealer does with the chips of a hand, by how it came out. */
export const MARKS: Record<Outcome, Mark> = {
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

/** The total of a hand, or "BJ", with its result in a word once it has one. */
export function handLabel(
  { blackjack, total, outcome }: Pick<HandView, "blackjack" | "total" | "outcome">,
  i18n: I18n,
): string {
  const shown = blackjack ? i18n.text("ui.bj") : total;
  if (!outcome) return shown;
  const { word } = MARKS[outcome];
  return word ? `${i18n.text(`mark.${word}`)} ${shown}` : `★ ${shown}`;
}

/** Units that a finger finds: 44 pixels where the table is smallest. */
const TARGET = 58;

/** Width of a letter and of both ends of a label, in sizes of its text. */
const LETTER = 0.6;
const ENDS = 0.8;

/** Size of a result that stands under its total, and how wide that is. */
const RESULT = 16;
const acrossOf = (text: string): number => RESULT * (text.length * LETTER + ENDS);

interface HandProps {
  box: number;
  hand: HandView;
  index: number;
  counts: readonly number[];
  dim: boolean;
  pick: CardPick | undefined;
  onTotal: (() => void) | undefined;
}

/** Hand `index` of a box; `counts` are the hands of every box. What is written beside it covers no rank. */
export function Hand({ box, hand, index, counts, dim, pick, onTotal }: HandProps) {
  const i18n = useI18n();
  const place = useLayout().handPlace(box, index, counts);
  const half = fanWidth(hand.cards.length, place.card, place.room) / 2;
  const right = place.x + half;
  const look = hand.outcome ? MARKS[hand.outcome].look : hand.active ? "tone" : undefined;
  const low = place.y + place.card * CARD_HEIGHT;
  // Upright the result stands under the total: beside the cards there is no room for both in a row.
  const word = place.beside && hand.outcome ? MARKS[hand.outcome].word : null;
  const result = word && i18n.text(`mark.${word}`);
  const label = handLabel(result ? { ...hand, outcome: null } : hand, i18n);
  const across = label.length * LETTER + ENDS;
  const count = counts[box - 1] ?? 1;
  const size = Math.min(place.label, Math.max(place.room / across, hand.outcome && count > 2 ? 0 : LEAST));
  // Results of two hands side by side are wider than their hands: the second one stands on its cards, below their ranks.
  const lower = count === 2 && index === 1 && size * across > place.room ? size * -1.45 : 0;
  const total = place.beside
    ? {
        x: place.x + place.beside * (half + Math.max(place.label * 1.6, acrossOf(result ?? "") / 2 + 4)),
        y: place.y + place.card * CARD_HEIGHT * (result ? 0.36 : 0.5),
      }
    : { x: place.x, y: low + place.label * 0.5 + lower };
  return (
    <g class={dim ? "hand dim" : "hand"} data-hand={`${box}.${hand.hand}`}>
      <Fan cards={hand.cards} x={place.x} y={place.y} width={place.card} room={place.room} pick={pick} />
      <g aria-hidden="true">
        <Pill x={total.x} y={total.y} text={label} size={size} look={result ? undefined : look} />
        {result && (
          <Pill x={total.x} y={total.y + place.label * 1.32} text={result} size={RESULT} look={look} />
        )}
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
            x={total.x - place.label * 1.6}
            y={total.y - place.label * 0.95}
            width={place.label * 3.2}
            height={Math.max(place.label * 2.35, TARGET)}
          />
        </PressArea>
      )}
    </g>
  );
}

interface DealerHandProps {
  dealer: DealerView;
  active: boolean;
  pick: CardPick | undefined;
  onTotal?: (() => void) | undefined;
}

/** The dealer's cards, framed while it is their turn; nothing before the first card lies there. */
export function DealerHand({ dealer, active, pick, onTotal }: DealerHandProps) {
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

const CARD = 44;

interface AsideProps {
  cards: readonly OpenCard[];
  nameOf: (card: number) => string;
  pick: CardPick | undefined;
}

/** The cards side by side at the right of the tray, each marked with "!". */
export function Aside({ cards, nameOf, pick }: AsideProps) {
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
