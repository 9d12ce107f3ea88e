import { expect, it } from "vitest";
import { allowedWays, needsTwo, ruledOut } from "../../src/pit/ways";
import { hold, tableView } from "../kit";

it("asks for the second person for a void of the round where the hold takes two", () => {
  const view = tableView({
    holds: [hold("DEALER_DREW_ON_17", { release: "two", ways: ["burn", "void_round"], card: 6, box: 0 })],
  });
  expect(needsTwo(view, { round: view.round })).toBe(true);
  expect(needsTwo(view, { round: view.round, card: 6 })).toBe(true);
  expect(needsTwo(view, { round: view.round, card: 2 })).toBe(false);
  expect(needsTwo(view, { round: view.round + 1 })).toBe(false);
  expect(ruledOut(view, "void_round", null)).toBe(false);
});

it("takes from the server what a hold is about", () => {
  const view = tableView({ holds: [hold("ANY_CODE", { of_round: false, ways: ["keep"], release: "two" })] });
  expect(needsTwo(view, { round: view.round })).toBe(false);
  const hole = tableView({ holds: [hold("ANY_CODE", { of_hole: true, ways: ["amend"] })] });
  expect(allowedWays(hole, { round: hole.round, hole: true })).toEqual(new Set(["amend"]));
});
