// The cards of the picture, and rank and suit of the one that is chosen.
import { useI18n } from "../i18n/context";
import type { LabelPictureView } from "../view";
import { type Change, type Draft, type DraftCard, RANKS, SUITS } from "./draft";

interface Props {
  picture: LabelPictureView;
  draft: Draft;
  onChange: (change: Change) => void;
}

/** A key for each card, and below them those of its name. */
export function CardForm({ picture, draft, onChange }: Props) {
  const i18n = useI18n();
  const card = draft.selected === null ? null : (draft.cards[draft.selected] ?? null);
  const untaken = picture.read.filter((one) => one.is_new && one.corners.length > 0);
  return (
    <section class="label-cards">
      <h2>{i18n.text("label.cards", { count: draft.cards.length })}</h2>
      <ul>
        {draft.cards.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a card has no name of its own
          <li key={at}>
            <button
              type="button"
              class="top-key"
              data-card={at}
              aria-pressed={at === draft.selected}
              onClick={() => onChange({ do: "select", at })}
            >
              {spoken(i18n.text, one)}
            </button>
          </li>
        ))}
      </ul>
      {card && (
        <>
          <fieldset>
            <legend>{i18n.text("label.rank")}</legend>
            {RANKS.map((rank) => (
              <button
                key={rank}
                type="button"
                class="top-key"
                data-rank={rank}
                aria-pressed={rank === card.rank}
                onClick={() => onChange({ do: "rank", rank })}
              >
                {rank}
              </button>
            ))}
          </fieldset>
          <fieldset>
            <legend>{i18n.text("label.suit")}</legend>
            {[...SUITS, ""].map((suit) => (
              <button
                key={suit}
                type="button"
                class="top-key"
                data-suit={suit || "none"}
                aria-pressed={suit === card.suit}
                onClick={() => onChange({ do: "suit", suit })}
              >
                {i18n.text(suit ? `ui.suit_${suit}` : "label.suit_unknown")}
              </button>
            ))}
          </fieldset>
          <button type="button" class="top-key" onClick={() => onChange({ do: "remove" })}>
            {i18n.text("label.remove")}
          </button>
        </>
      )}
      {untaken.length > 0 && draft.cards.length === picture.cards.length && (
        <button type="button" class="top-key" onClick={() => onChange({ do: "take", cards: untaken })}>
          {i18n.text("label.take", { count: untaken.length })}
        </button>
      )}
    </section>
  );
}

/** "Ten of hearts" in signs: what a key has room for. */
function spoken(text: (code: string) => string, { rank, suit }: DraftCard): string {
  const named = rank || "?";
  return suit ? `${named} ${text(`ui.suit_${suit}`)}` : named;
}
