// Where the keys of the tester's screen lead to.
import { expect, test } from "vitest";
import type { Finding, StudioFile } from "../../src/studio/bodies";
import { target } from "../../src/studio/stepping";

/** A file of ten steps whose list of places to look at leads to these, in this order. */
function fileWith(...steps: number[]): StudioFile {
  const findings = steps.map((step) => ({ step, round: 1, weight: 1, text: { code: "", params: {} } }));
  const marks = Array.from({ length: 10 }, () => ({ lanes: [], what: "card", round: 1 }));
  return { steps: marks, findings: findings as Finding[] } as unknown as StudioFile;
}

/** The steps that a key leads to, pressed until it leads nowhere. */
function walked(file: StudioFile, key: string): number[] {
  const places: number[] = [];
  let at = 0;
  for (let press = 0; press < 20; press++) {
    const to = target(file, [], at, key, false);
    if (to === null) break;
    places.push(to);
    at = to;
  }
  return places;
}

test("N comes to every place, also where one line is named more than once", () => {
  expect(walked(fileWith(7, 4, 4, 7, 2), "n")).toEqual([7, 4, 2]);
});

test("P goes the same way back, from the last place on", () => {
  expect(walked(fileWith(7, 4, 4, 7, 2), "p")).toEqual([2, 4, 7]);
});
