// Views that come faster than they can be painted: the first at once, then only the newest.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { paced } from "../../src/server/live";

let shown: number[] = [];
let show: (value: number) => void = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  shown = [];
  show = paced((value) => shown.push(value));
});

describe("views of a busy table", () => {
  it("are shown at once, one by one, where each is painted before the next comes", () => {
    for (const seq of [1, 2, 3]) {
      show(seq);
      expect(shown.at(-1)).toBe(seq);
      vi.advanceTimersByTime(50);
    }
  });

  it("are left out where a newer one comes before the last is painted", () => {
    for (const seq of [1, 2, 3, 4]) show(seq);
    expect(shown).toEqual([1]);
    vi.advanceTimersByTime(50);
    expect(shown, "the newest is never left out").toEqual([1, 4]);
    vi.advanceTimersByTime(500);
    expect(shown).toEqual([1, 4]);
  });

  it("go on where the browser paints nothing", () => {
    vi.stubGlobal("requestAnimationFrame", () => 0);
    show(1);
    show(2);
    vi.advanceTimersByTime(150);
    expect(shown).toEqual([1, 2]);
  });

  it("do not wait on a page that is hidden", () => {
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    for (const seq of [1, 2, 3]) show(seq);
    expect(shown).toEqual([1, 2, 3]);
    vi.advanceTimersByTime(500);
    expect(shown).toEqual([1, 2, 3]);
  });
});
