// Where the keys of the tester's screen lead to.
import { expect, test } from "vitest";
import { target } from "../../src/studio/steps";
import type { Finding, StudioFileView } from "../../src/view";

/** A file of ten steps whose list of places to look at leads to these, in this order. */
function fileWith(...steps: number[]): StudioFileView {
  const findings = steps.map((step) => ({ step, round: 1, weight: 1, text: { code: "", params: {} } }));
  const marks = Array.from({ length: 10 }, () => ({ lanes: [], cameras: [], what: "card", round: 1 }));
  return { steps: marks, findings: findings as Finding[] } as unknown as StudioFileView;
}

/** The steps that a key leads to, pressed until it leads nowhere. */
function walked(file: StudioFileView, key: string): number[] {
  const places: number[] = [];
  let at = 0;
  for (let press = 0; press < 20; press++) {
    const to = target(file, at, key, false);
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

test("F leads from picture to picture of a camera, Shift+F back, and past the last to the first", () => {
  const file = fileWith();
  for (const at of [3, 8]) file.steps[at]?.cameras.push("layout");
  expect(target(file, 0, "f", false)).toBe(3);
  expect(target(file, 3, "f", false)).toBe(8);
  expect(target(file, 8, "f", false)).toBe(3);
  expect(target(file, 8, "f", true)).toBe(3);
});

test("F leads nowhere where no camera was recorded", () => {
  expect(target(fileWith(), 0, "f", false)).toBeNull();
});
