// Two cards that one place was read as, as keys: neither is proposed.
import { CardFace } from "../felt/card";
import { useI18n } from "../i18n/context";
import { cardName } from "../i18n/sentences";
import type { CardReading, DoubtRow, OpenCard } from "../view";

interface Props {
  readings: readonly CardReading[];
  /** The code of the card that is chosen, if any. */
  chosen: string | null;
  off?: boolean;
  onChoose: (card: OpenCard) => void;
}

/** A card as cameras and feeds write it. */
export const cardCode = (card: { rank: string | null; suit: string | null }): string =>
  `${card.rank}${card.suit}`;

/** What a camera read before, and what it reads now. */
export const readingsOf = ({ was, seen }: DoubtRow): CardReading[] => [
  { title: { code: "ui.doubt_was", params: {} }, card: was },
  { title: { code: "ui.doubt_seen", params: {} }, card: seen },
];

/** Both side by side, each with its face. */
export function Readings({ readings, chosen, off = false, onChoose }: Props) {
  const i18n = useI18n();
  return (
    <div class="both grid gap-10">
      {readings.map(({ title, card }) => (
        <button
          class="row between gap-10 size-17 to-left edge-key"
          key={title.code + JSON.stringify(title.params)}
          type="button"
          aria-pressed={chosen === cardCode(card)}
          data-choice={cardCode(card)}
          disabled={off}
          onClick={() => onChoose(card)}
        >
          <span>{i18n.say(title)}</span>
          <svg class="still" viewBox="-2 -2 66 92" aria-label={cardName(card, i18n)} role="img">
            <CardFace card={card} x={0} y={0} width={60} pick={undefined} />
          </svg>
        </button>
      ))}
    </div>
  );
}
