import { expect, it } from "vitest";
import { allowedWays, needsTwo } from "../../src/pit/ways";
import { hold, tableView } from "../kit";

it("asks for the second person for what a hold that takes two is about, as the server says", () => {
  const view = tableView({
    holds: [hold("ANY_CODE", { release: "two", ways: ["burn"], about: ["round", "card:6", "box:2"] })],
  });
  expect(needsTwo(view, { round: view.round, on: ["round"] })).toBe(true);
  expect(needsTwo(view, { round: view.round, on: ["card:6"] })).toBe(true);
  expect(needsTwo(view, { round: view.round, on: ["box:1", "box:2"] })).toBe(true);
  expect(needsTwo(view, { round: view.round, on: ["card:2"] })).toBe(false);
  expect(needsTwo(view, { round: view.round + 1, on: ["round"] })).toBe(false);
});

it("offers the ways that every hold about a subject has, and all where no hold is about it", () => {
  const view = tableView({
    holds: [
      hold("ONE_CODE", { ways: ["amend", "void_round"], about: ["round", "hole"] }),
      hold("OTHER_CODE", { ways: ["amend", "keep"], about: ["hole"] }),
    ],
  });
  expect(allowedWays(view, { round: view.round, on: ["hole"] })).toEqual(new Set(["amend"]));
  expect(allowedWays(view, { round: view.round, on: ["round"] })).toEqual(new Set(["amend", "void_round"]));
  expect(allowedWays(view, { round: view.round, on: ["box:1"] })).toBeNull();
});
