// Sentences about cards, boxes, hands and bettors.
import type { BoxView, DealerView, HandView, HiddenCard, OpenCard, TableView } from "../view";
import { type Outcome, suitOf } from "../vocabulary";
import { type I18n, SUIT_SIGNS } from "./i18n";

/** "3", or "3 +1" for the first bettor behind. */
export const bettorName = ({ box, seat }: { box: number; seat: number }): string =>
  seat === 0 ? String(box) : `${box} +${seat}`;

/** "9 of Hearts"; the rank alone where nobody knows the suit. */
export function cardName(card: HiddenCard | OpenCard, i18n: I18n): string {
  if ("hidden" in card) return i18n.text("ui.card_face_down");
  if (card.rank === null) return i18n.text("ui.card_unread");
  const rank = /^[AJQK]$/.test(card.rank) ? i18n.text(`ui.rank_${card.rank}`) : card.rank;
  return card.suit === null
    ? rank
    : i18n.text("ui.card_name", { rank, suit: i18n.text(`ui.suit_${card.suit}`) });
}

/** "Box 3, stake 25, bettor 1 behind: 10. 9 of Hearts, 8 of Clubs: 17, wins." */
export function boxSentence(box: BoxView, i18n: I18n): string {
  const stakes =
    box.seats.length > 0 ? box.seats.map((seat) => stakeText(box.box, seat, i18n)) : [noStake(box, i18n)];
  const dealt = box.hands.filter((hand) => hand.cards.length > 0);
  const hands = dealt.map((hand) => handText(hand, box.hands.length > 1, i18n));
  return sentences([stakes.join(", "), ...hands]);
}

/** "Dealer. 6 of Clubs, face-down card: 6." */
export function dealerSentence({ cards, total, outcome }: DealerView, i18n: I18n): string {
  const words = total === null ? [] : [total];
  if (outcome) words.push(i18n.text(DEALER_RESULTS[outcome]));
  return sentences([i18n.text("ui.dealer"), clauses(cards, words, i18n)]);
}

const DEALER_RESULTS: Record<NonNullable<DealerView["outcome"]>, string> = {
  blackjack: "ui.spoken_blackjack",
  bust: "ui.result_bust",
};

/** Where an open card of the round lies: box 0 is the dealer, -1 beside the hands, where `nth` is 0. */
interface CardPlace {
  box: number;
  hand: number;
  nth: number;
  /** The box has several hands. */
  split: boolean;
  card: OpenCard;
}

/** The card of this number; null where none of it lies open. */
export function cardPlace(
  { boxes, dealer, aside }: Pick<TableView, "boxes" | "dealer" | "aside">,
  number: number,
): CardPlace | null {
  const hands = boxes.flatMap(({ box, hands: held }) =>
    held.map(({ hand, cards }) => ({ box, hand, cards, split: held.length > 1 })),
  );
  for (const { cards, ...place } of [...hands, { box: 0, hand: 1, cards: dealer.cards, split: false }]) {
    const at = cards.findIndex((card) => !("hidden" in card) && card.card === number);
    const card = cards[at];
    if (card && !("hidden" in card)) return { ...place, nth: at + 1, card };
  }
  const card = aside.find((one) => one.card === number);
  return card ? { box: -1, hand: 1, nth: 0, split: false, card } : null;
}

/** "Box 3", "Box 3, hand 2", "Dealer", or that it lies in no hand. */
export function placeName({ box, hand, split }: Omit<CardPlace, "nth" | "card">, i18n: I18n): string {
  if (box < 1) return i18n.text(box === 0 ? "ui.dealer" : "ui.place_aside");
  return split ? i18n.text("ui.box_hand", { box, hand }) : i18n.text("ui.box", { box });
}

/** "Box 3, hand 2, card 1, 9 of Hearts": where a card of the round lies, and what it is taken for. */
export function placedCard(view: TableView, number: number, i18n: I18n): string {
  const found = cardPlace(view, number);
  if (!found) return i18n.text("ui.card_gone");
  const place = placeName(found, i18n);
  const named = found.nth > 0 ? i18n.text("ui.place_card", { place, card: found.nth }) : place;
  return `${named}, ${cardName(found.card, i18n)}`;
}

/** "9♦"; "?" where nobody has read it. */
export function cardSign({ rank, suit }: { rank: string | null; suit: string | null }): string {
  const known = suitOf(suit);
  return (rank ?? "?") + (known ? SUIT_SIGNS[known] : "");
}

function stakeText(
  box: number,
  { seat, stake, insurance, short }: BoxView["seats"][number],
  i18n: I18n,
): string {
  const written = i18n.money(stake);
  const parts = [
    seat === 0
      ? i18n.text("ui.spoken_box", { box, stake: written })
      : i18n.text("ui.spoken_behind", { seat, stake: written }),
  ];
  if (short) parts.push(i18n.say(short));
  if (insurance !== null) parts.push(i18n.text("ui.spoken_insured", { amount: { money: insurance } }));
  return parts.join(", ");
}

const noStake = ({ box }: BoxView, i18n: I18n): string => i18n.text("ui.spoken_box_empty", { box });

function handText(hand: HandView, split: boolean, i18n: I18n): string {
  const total = hand.blackjack ? i18n.text("ui.spoken_blackjack") : hand.total;
  const words = [total];
  if (hand.doubled) words.push(i18n.text("ui.spoken_doubled"));
  if (hand.outcome) words.push(resultText(hand.outcome, i18n));
  const spoken = clauses(hand.cards, words, i18n);
  return split ? `${i18n.text("ui.spoken_hand", { hand: hand.hand })}: ${spoken}` : spoken;
}

/** Cards, then what is said of them. */
function clauses(cards: HandView["cards"], words: readonly string[], i18n: I18n): string {
  const names = cards.map((card) => cardName(card, i18n)).join(", ");
  return words.length > 0 ? `${names}: ${words.join(", ")}` : names;
}

const resultText = (outcome: Outcome, i18n: I18n): string => i18n.text(`ui.result_${outcome}`);

const sentences = (parts: readonly string[]): string =>
  parts.map((part) => (/[.!?]$/.test(part) ? part : `${part}.`)).join(" ");
