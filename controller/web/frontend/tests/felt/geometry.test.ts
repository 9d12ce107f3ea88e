// Where split hands lie: side by side in playing order, no card over another hand's.
import { describe, expect, it } from "vitest";
import { fanPitch, fanWidth } from "../../src/felt/cards";
import { type HandPlace, handPlace, LEAST } from "../../src/felt/geometry";
import { CARD_HEIGHT, LAYOUTS } from "../../src/felt/layout";

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** What the ranks of `cards` cards take: the upper part of a hand. */
function ranks(place: HandPlace, cards: number): Area {
  const half = fanWidth(cards, place.card, place.room) / 2;
  return {
    left: place.x - half,
    right: place.x + half,
    top: place.y,
    bottom: place.y + place.card * 0.6,
  };
}

/** A hand with all of its cards and its total. */
function whole(place: HandPlace, cards: number): Area {
  const low = place.y + place.card * CARD_HEIGHT + place.label * 1.21;
  return { ...ranks(place, cards), bottom: low };
}

const meet = (one: Area, other: Area): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const table = (...hands: number[]): { box: number; at: HandPlace }[] =>
  hands.flatMap((count, index) =>
    Array.from({ length: count }, (_, hand) => ({ box: index + 1, at: handPlace(index + 1, hand, hands) })),
  );

const one = (box: number, count: number): number[] =>
  Array.from({ length: 7 }, (_, index) => (index + 1 === box ? count : 1));

describe.each([3, 4])("%i hands", (count) => {
  it.each([1, 2, 3, 4, 5, 6, 7])("of box %i cover no rank of any hand", (box) => {
    const places = table(...one(box, count));
    for (const hand of places) {
      for (const other of places) {
        if (hand !== other)
          expect(meet(ranks(hand.at, 3), whole(other.at, 3)), `${hand.box}, ${other.box}`).toBe(false);
      }
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7])("of box %i lie from the left, and below each other, as they play", (box) => {
    const places = table(...one(box, count)).filter((hand) => hand.box === box);
    for (const [index, { at }] of places.entries()) {
      const before = places[index - 1]?.at;
      if (before) expect(at.x > before.x || at.y > before.y).toBe(true);
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7])(
    "of box %i show every rank of three cards, large enough to be read",
    (box) => {
      for (const { at } of table(...one(box, count)).filter((hand) => hand.box === box)) {
        const width = Math.min(at.card, at.room / 1.88);
        expect(width * 0.58, "height of a rank, in units of the picture").toBeGreaterThan(15);
        expect(fanPitch(3, width, at.room) / width).toBeGreaterThanOrEqual(0.43);
      }
    },
  );
});

describe.each([3, 4])("%i hands of neighbours", (count) => {
  const neighbours = [
    [2, 3],
    [5, 6],
    [1, 2, 3],
    [3, 4, 5],
    [1, 2, 3, 4, 5, 6, 7],
  ];

  it.each(neighbours)("of boxes %i, %i … cover no rank and can be read", (...boxes) => {
    const places = table(...[1, 2, 3, 4, 5, 6, 7].map((box) => (boxes.includes(box) ? count : 1)));
    for (const hand of places) {
      expect(Math.min(hand.at.card, hand.at.room / 1.88) * 0.58).toBeGreaterThan(15);
      for (const other of places) {
        if (hand !== other)
          expect(meet(ranks(hand.at, 3), whole(other.at, 3)), `${hand.box}, ${other.box}`).toBe(false);
      }
    }
  });
});

it("seen from the pit the money above the middle circle lies free of its hand's result", () => {
  const { betSpot, circle, handPlace: place } = LAYOUTS.pit;
  const hand = place(4, 0, one(4, 1));
  expect(whole(hand, 2).bottom).toBeLessThanOrEqual(betSpot(4).y - circle - 4 - LEAST * 0.71);
});
