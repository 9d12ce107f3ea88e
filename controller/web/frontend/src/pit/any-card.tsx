// Any card by rank and suit: thirteen ranks in reading order, four suits.
import { SuitSign } from "../felt/suit";
import { useI18n } from "../i18n/context";
import { RankKeys } from "../shared/rank-keys";
import { type Rank, rankOf, SUITS, type Suit, suitOf } from "../vocabulary";

/** A card as far as it is chosen. */
export interface Choice {
  rank: Rank | null;
  suit: Suit | null;
}

/** What a view's card is, as a choice. */
export const chosenOf = ({ rank, suit }: { rank: string | null; suit: string | null }): Choice => ({
  rank: rankOf(rank),
  suit: suitOf(suit),
});

interface Props {
  choice: Choice;
  /** What the table has it for, marked where it stands. */
  recorded?: Choice | undefined;
  onChoose: (choice: Choice) => void;
  /** What follows the thirteenth rank. */
  children?: preact.ComponentChildren;
}

/** The keys of both. */
export function AnyCard({ choice, recorded, onChoose, children }: Props) {
  const i18n = useI18n();
  return (
    <>
      <div class="ranks compact grid gap-8">
        <RankKeys
          chosen={choice.rank}
          recorded={recorded?.rank}
          onRank={(rank) => onChoose({ ...choice, rank })}
        />
        {children}
      </div>
      <div class="suits grid gap-8">
        {SUITS.map((suit) => (
          <button
            class="centre edge-key round-10"
            key={suit}
            type="button"
            aria-pressed={suit === choice.suit}
            aria-label={i18n.text(`ui.suit_${suit}`)}
            data-suit={suit}
            onClick={() => onChoose({ ...choice, suit })}
          >
            <SuitSign suit={suit} />
          </button>
        ))}
      </div>
    </>
  );
}
