// Boxes, hands and cards as a screen reader says them.
import { describe, expect, it, test } from "vitest";
import { LANGUAGES } from "../../src/i18n/i18n";
import { boxSentence, cardName, dealerSentence, placedCard } from "../../src/i18n/sentences";
import { RANKS, SUITS } from "../../src/vocabulary";
import { box, card, emptyBox, hand, i18nOf, tableView, words } from "../kit";

const en = i18nOf("en");

describe("a card", () => {
  test.for([
    ["en", "As", "Ace of Spades"],
    ["nl", "Kh", "Harten heer"],
    ["de", "10c", "Kreuz 10"],
    ["fr", "Jd", "Valet de Carreau"],
    ["it", "Qs", "Donna di Picche"],
  ] as const)("is named in %s", ([language, written, spoken]) => {
    expect(cardName(card(1, written), i18nOf(language))).toBe(spoken);
  });

  it("that lies face down is that and nothing more", () => {
    expect(cardName({ hidden: true }, en)).toBe("face-down card");
  });

  it("is unread where nobody knows its rank", () => {
    expect(cardName(card(4, "?"), en)).toBe("unread card");
  });

  it("is its rank alone where nobody knows its suit", () => {
    expect(cardName({ ...card(1, "Ks"), suit: null }, en)).toBe("King");
  });

  test.for(LANGUAGES)("has a name of its own in %s, whichever of the 52 it is", (language) => {
    const i18n = i18nOf(language);
    const names = RANKS.flatMap((rank) => SUITS.map((suit) => cardName(card(1, `${rank}${suit}`), i18n)));
    expect(new Set(names).size).toBe(52);
    expect(names.filter((name) => /ui\.|[{}]/.test(name))).toEqual([]);
  });
});

describe("a box", () => {
  it("is one sentence for its stake and one for its hand", () => {
    const played = box(3, { hands: [hand([card(1, "9h"), card(2, "8c")], { total: "17", outcome: "win" })] });
    expect(boxSentence(played, en)).toBe("Box 3, stake 25.00. 9 of Hearts, 8 of Clubs: 17, wins.");
  });

  it("without a stake says so", () => {
    expect(boxSentence(emptyBox(5), en)).toBe("Box 5, no stake.");
  });

  it("names those who bet behind, insurance, and why a stake is none", () => {
    const seats = [
      { seat: 0, stake: "25.00", chips: [], insurance: "12.50", short: null },
      {
        seat: 1,
        stake: "2.50",
        chips: [],
        insurance: null,
        short: words("refused.STAKE_BELOW_MIN", { stake: { money: "2.50" }, limit: { money: "5.00" } }),
      },
    ];
    expect(boxSentence(box(2, { seats }), en)).toBe(
      "Box 2, stake 25.00, insurance 12.50, bettor 1 behind: 2.50, 2.50 is below the minimum of 5.00: add chips.",
    );
  });

  it("says nothing of a hand that has no card yet", () => {
    expect(boxSentence(box(1, { hands: [hand([], { total: "0" })] }), en)).toBe("Box 1, stake 25.00.");
  });

  it("numbers its hands once there are two", () => {
    const hands = [
      hand([card(1, "8h"), card(3, "3c")], { hand: 1, total: "11", doubled: true }),
      hand([card(2, "8s"), card(4, "Ah")], { hand: 2, total: "9/19" }),
    ];
    expect(boxSentence(box(4, { hands }), en)).toBe(
      "Box 4, stake 25.00. hand 1: 8 of Hearts, 3 of Clubs: 11, doubled. hand 2: 8 of Spades, Ace of Hearts: 9/19.",
    );
  });

  test.for(LANGUAGES)("is said in %s without a hole or a missing text", (language) => {
    const outcomes = ["win", "lose", "push", "blackjack", "bust", "surrender", "even_money"] as const;
    const others = ["insured", "insurance_lost", "void"] as const;
    for (const outcome of [...outcomes, ...others]) {
      const blackjack = outcome === "blackjack";
      const played = box(1, { hands: [hand([card(1, "Ah"), { hidden: true }], { outcome, blackjack })] });
      expect(boxSentence(played, i18nOf(language))).not.toMatch(/ui\.|[{}]|undefined|\bnull\b/);
    }
  });
});

describe("the dealer", () => {
  it("is said as far as the cards lie open", () => {
    expect(dealerSentence(tableView().dealer, en)).toBe("Dealer. 6 of Clubs, face-down card: 6.");
  });

  it("is bust or has a blackjack", () => {
    const cards = [card(2, "10c"), card(4, "6h"), card(5, "9s")];
    expect(dealerSentence({ cards, total: "25", outcome: "bust" }, en)).toContain("25, bust");
    const natural = [card(2, "Ac"), card(4, "Kh")];
    expect(dealerSentence({ cards: natural, total: "21", outcome: "blackjack" }, en)).toContain("Blackjack");
  });
});

describe("where a card lies", () => {
  it("is box, place in the hand, and what it is taken for", () => {
    expect(placedCard(tableView(), 3, en)).toBe("Box 1, card 2, 6 of Spades");
    expect(placedCard(tableView(), 2, en)).toBe("Dealer, card 1, 6 of Clubs");
  });

  it("is the hand as well where the box was split", () => {
    const hands = [hand([card(1, "8h")], { hand: 1 }), hand([card(4, "8s"), card(5, "2d")], { hand: 2 })];
    const view = tableView({ boxes: [box(1, { hands })] });
    expect(placedCard(view, 5, en)).toBe("Box 1, hand 2, card 2, 2 of Diamonds");
  });

  it("is apart where it fits nowhere", () => {
    expect(placedCard(tableView({ aside: [card(9, "5h")] }), 9, en)).toBe("Card put apart, 5 of Hearts");
  });
});
