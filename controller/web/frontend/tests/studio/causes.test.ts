import { expect, test } from "vitest";
import { causesOf } from "../../src/studio/steps";
import type { Finding } from "../../src/view";

const finding = (step: number, round: number, weight: number): Finding => ({
  step,
  round,
  weight,
  text: { code: `hold.${step}`, params: {} },
});

test("a round has one cause, its heaviest finding; the rest follows, and what was inferred is one group", () => {
  const found = [finding(5, 2, 1), finding(7, 2, 5), finding(9, 2, 4), finding(1, 1, 4), finding(2, 1, 0)];
  const causes = causesOf([...found, finding(8, 2, 0)]);
  expect(causes.map((cause) => [cause.finding.step, cause.follows.map((one) => one.step)])).toEqual([
    [7, [5, 9]],
    [1, []],
    [2, [8]],
  ]);
});
