// One hand of a box: its cards, its total or result.
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { HandView } from "../view";
import type { Outcome } from "../vocabulary";
import type { CardPick } from "./card";
import { Fan, fanWidth } from "./fan";
import { LEAST } from "./geometry";
import { CARD_HEIGHT, useLayout } from "./layout";
import { Pill, type PillLook } from "./pill";
import { PressArea } from "./press-area";

interface Mark {
  /** The word in front of the total: a sign would make money of it. */
  word: "win" | "push" | "lose" | null;
  look: PillLook;
}

const WON: Mark = { word: "win", look: "pay" };
const BLACKJACK: Mark = { word: null, look: "pay" };
const EVEN: Mark = { word: "push", look: "push" };
const LOST: Mark = { word: "lose", look: "take" };

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
