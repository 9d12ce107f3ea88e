// Thirteen ranks in reading order, never re-ordered, so that hands learn where they are.
import { useI18n } from "../i18n/context";
import type { Pad } from "../view";
import { RANKS, type Rank } from "../vocabulary";

interface Props {
  guesses?: Pad["guesses"];
  /** Where a rank is chosen and can be changed; left out where a press acts at once. */
  chosen?: Rank | null;
  /** What the table has the card for. */
  recorded?: Rank | null | undefined;
  onRank: (rank: Rank) => void;
}

/** A guessed rank is marked with "?" and never looks like a chosen one. */
export function RankKeys({ guesses = [], chosen, recorded, onRank }: Props) {
  const i18n = useI18n();
  return (
    <>
      {RANKS.map((rank) => {
        const percent = guesses.find(([guess]) => guess === rank)?.[1];
        return (
          <button
            key={rank}
            type="button"
            class={look(chosen === rank, percent !== undefined)}
            data-rank={rank}
            data-recorded={rank === recorded || undefined}
            aria-pressed={chosen === undefined ? undefined : chosen === rank}
            aria-label={percent === undefined ? undefined : i18n.text("ui.guess", { rank, percent })}
            onClick={() => onRank(rank)}
          >
            {rank}
            {percent !== undefined && <small>? {percent} %</small>}
          </button>
        );
      })}
    </>
  );
}

function look(chosen: boolean, guessed: boolean): string {
  if (chosen) return "rank-key first";
  return guessed ? "rank-key guess" : "rank-key";
}
