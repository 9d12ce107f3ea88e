// What stays of one step in the next, so that only the rest is drawn.
import { expect, test } from "vitest";
import { sharing } from "../../src/studio/steps";

const WAS = {
  seq: 1,
  boxes: [
    { box: 1, cards: ["As"] },
    { box: 2, cards: [] },
  ],
  detail: null,
};

test("a part that says the same is the very object of the step before", () => {
  const now = sharing(WAS, {
    seq: 2,
    boxes: [
      { box: 1, cards: ["As"] },
      { box: 2, cards: ["9d"] },
    ],
    detail: null,
  });
  expect(now).toEqual({
    seq: 2,
    boxes: [
      { box: 1, cards: ["As"] },
      { box: 2, cards: ["9d"] },
    ],
    detail: null,
  });
  expect(now.boxes[0]).toBe(WAS.boxes[0]);
  expect(now.boxes[1]).not.toBe(WAS.boxes[1]);
});

test("a step like the one before is that one", () => {
  expect(sharing(WAS, structuredClone(WAS))).toBe(WAS);
});

test("what has gone, come or become something else is as it is now", () => {
  for (const now of [{ seq: 1 }, { ...WAS, more: {} }, { ...WAS, boxes: {} }, { ...WAS, detail: [1] }, []]) {
    expect(sharing<unknown>(WAS, now)).toEqual(now);
  }
  expect(sharing<unknown>(["a", "b"], ["a"])).toEqual(["a"]);
});
