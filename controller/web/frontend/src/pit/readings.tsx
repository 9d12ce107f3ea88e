// The two cards that a camera has read at one place, as keys: neither is proposed.
import { CardFace } from "../felt/card";
import { useI18n } from "../i18n/context";
import { cardName } from "../i18n/sentences";
import type { DoubtRow, OpenCard } from "../view";

interface Props {
  doubt: DoubtRow;
  /** The code of the card that is chosen, if any. */
  chosen: string | null;
  off?: boolean;
  onChoose: (card: OpenCard) => void;
}

/** A card as cameras and feeds write it. */
export const cardCode = (card: { rank: string | null; suit: string | null }): string =>
  `${card.rank}${card.suit}`;

/** What was read before and what is read now, side by side, each with its face. */
export function Readings({ doubt, chosen, off = false, onChoose }: Props) {
  const i18n = useI18n();
  return (
    <div class="both">
      {(["was", "seen"] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={chosen === cardCode(doubt[name])}
          data-choice={cardCode(doubt[name])}
          disabled={off}
          onClick={() => onChoose(doubt[name])}
        >
          <span>{i18n.text(`ui.doubt_${name}`)}</span>
          <svg viewBox="-2 -2 66 92" aria-label={cardName(doubt[name], i18n)} role="img">
            <CardFace card={doubt[name]} x={0} y={0} width={60} pick={undefined} />
          </svg>
        </button>
      ))}
    </div>
  );
}
