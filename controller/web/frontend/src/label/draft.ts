// The labels of a picture as they are being drawn: nothing of them is kept before they are saved.
import type { LabelCardView, LabelPictureView } from "../view";

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"] as const;
export const SUITS = ["c", "d", "h", "s"] as const;

/** x and y of four corners. */
export const CORNER_NUMBERS = 8;

/** A card of the draft. */
export interface DraftCard extends LabelCardView {
  /** Its place among the labels that there were; null for a new one. */
  kept: number | null;
}

export interface Draft {
  cards: readonly DraftCard[];
  /** The place of the card that rank and suit are chosen for; null for none. */
  selected: number | null;
  /** x and y of the corners of the outline that is begun. */
  points: readonly number[];
  isChanged: boolean;
}

export type Change =
  | { do: "open"; picture: LabelPictureView | null }
  | { do: "corner"; x: number; y: number }
  | { do: "back" }
  | { do: "drop" }
  | { do: "select"; at: number }
  | { do: "rank"; rank: string }
  | { do: "suit"; suit: string }
  | { do: "remove" }
  | { do: "take"; cards: readonly LabelCardView[] };

export const EMPTY: Draft = { cards: [], selected: null, points: [], isChanged: false };

/** The draft after a change. */
export function changed(draft: Draft, change: Change): Draft {
  switch (change.do) {
    case "open": {
      const cards = (change.picture?.cards ?? []).map((card, kept) => ({ ...card, kept }));
      return { ...EMPTY, cards, selected: cards.length > 0 ? 0 : null };
    }
    case "corner":
      return cornered(draft, change.x, change.y);
    case "back":
      return { ...draft, points: draft.points.slice(0, -2) };
    case "drop":
      return { ...draft, points: [] };
    case "select":
      return { ...draft, selected: change.at };
    case "rank":
      return named(draft, { rank: change.rank });
    case "suit":
      return named(draft, { suit: change.suit });
    case "remove": {
      const cards = draft.cards.filter((_, at) => at !== draft.selected);
      if (cards.length === draft.cards.length) return draft;
      return { ...draft, cards, selected: cards.length > 0 ? cards.length - 1 : null, isChanged: true };
    }
    case "take":
      return added(draft, change.cards);
  }
}

/** The fourth corner makes a card of the outline. */
function cornered(draft: Draft, x: number, y: number): Draft {
  const points = [...draft.points, x, y];
  if (points.length < CORNER_NUMBERS) return { ...draft, points };
  return added({ ...draft, points: [] }, [{ rank: "", suit: "", corners: points }]);
}

function added(draft: Draft, cards: readonly LabelCardView[]): Draft {
  if (cards.length === 0) return draft;
  const all = [
    ...draft.cards,
    ...cards.map(({ rank, suit, corners }) => ({ rank, suit, corners, kept: null })),
  ];
  return { ...draft, cards: all, selected: all.length - 1, isChanged: true };
}

function named(draft: Draft, name: { rank: string } | { suit: string }): Draft {
  if (draft.selected === null) return draft;
  const cards = draft.cards.map((card, at) => (at === draft.selected ? { ...card, ...name } : card));
  return { ...draft, cards, isChanged: true };
}

/** What the server is told. */
export function bodyOf(stamp: string, { cards }: Draft): object {
  return {
    stamp,
    cards: cards.map(({ rank, suit, corners, kept }) => ({
      rank,
      suit: suit || null,
      corners: corners.length > 0 ? corners : null,
      kept,
    })),
  };
}
