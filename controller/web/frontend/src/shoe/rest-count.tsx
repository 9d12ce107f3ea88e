// The rest of a shoe is run through by hand: each card is tapped, and the shoe's count has to close.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { SUIT_SIGNS } from "../i18n/i18n";
import { ActDialog } from "../pit/act-dialog";
import type { Observation } from "../server/commands";
import type { TableView } from "../view";
import { RANKS, SUITS } from "../vocabulary";

type CardName = `${(typeof RANKS)[number]}${(typeof SUITS)[number]}`;

interface Props {
  view: TableView;
  off: boolean;
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

/** Thirteen ranks by four suits; a card is tapped as often as it is in the rest. */
export function RestCount({ view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [counts, setCounts] = useState<ReadonlyMap<CardName, number>>(new Map());
  const [less, setLess] = useState(false);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const tap = (name: CardName): void => {
    const count = Math.max(0, (counts.get(name) ?? 0) + (less ? -1 : 1));
    setCounts(new Map(counts).set(name, count));
    setLess(false);
  };
  const cards = [...counts].flatMap(([name, count]) => Array.from({ length: count }, () => name));
  return (
    <ActDialog
      title={i18n.text("ui.rest_title")}
      size="wide"
      ready={!off}
      onApply={() => onApply({ obs: "shoe_end", cards }, view.seq)}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.rest_explains")}</p>
      <div class="rest-cards grid gap-6">
        {SUITS.flatMap((suit) =>
          RANKS.map((rank) => {
            const name: CardName = `${rank}${suit}`;
            const count = counts.get(name) ?? 0;
            return (
              <button
                key={name}
                type="button"
                class={
                  suit === "d" || suit === "h"
                    ? "rest-card red within weight-700"
                    : "rest-card within weight-700"
                }
                data-rest={name}
                aria-label={`${rank}${SUIT_SIGNS[suit]} ${count}`}
                onClick={() => tap(name)}
              >
                {rank}
                {SUIT_SIGNS[suit]}
                {count > 0 && <b>{count}</b>}
              </button>
            );
          }),
        )}
      </div>
      <div class="rest-total row gap-16">
        <b aria-live="polite">{i18n.text("ui.rest_counted", { count: total })}</b>
        <button
          type="button"
          class="plain"
          data-key="REST_LESS"
          aria-pressed={less}
          disabled={total === 0}
          onClick={() => setLess(!less)}
        >
          {i18n.text("ui.rest_less")}
        </button>
      </div>
    </ActDialog>
  );
}
