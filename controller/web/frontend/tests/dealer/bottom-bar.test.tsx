// The bottom bar: keys that stay in their place with their reasons, chips, the course of a settlement.
import { fireEvent, screen, within } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import type { InHand } from "../../src/dealer/bets";
import { BottomBar } from "../../src/dealer/bottom-bar";
import type { Bar, Chip, Key } from "../../src/view";
import { key, show, words } from "../kit";

const KINDS: Chip[] = [
  { value: "2.50", face: "#d98cb3", ink: "#000000" },
  { value: "5.00", face: "#c8553d", ink: "#ffffff" },
];

const bar = (keys: Key[], changes: Partial<Bar> = {}): Bar => ({
  keys,
  chips: [],
  info: null,
  info_note: null,
  settling: null,
  ...changes,
});

const TURN = [
  key("STAND", { main: true, hotkeys: ["Enter", "s"] }),
  key("DOUBLE", { hotkeys: ["d"], note: words("note.MORE", { amount: { money: "50.00" } }) }),
  key("SPLIT", { enabled: false, note: words("why.NO_PAIR") }),
  key("CALL_PIT", { hotkeys: ["!"] }),
];

function showBar(shown: Bar, given: { off?: boolean; sent?: string; inHand?: InHand } = {}) {
  const onKey = vi.fn();
  const onChip = vi.fn();
  const onSlide = vi.fn();
  const element = (
    <BottomBar
      bar={shown}
      kinds={KINDS}
      off={given.off ?? false}
      sent={given.sent ?? null}
      onKey={onKey}
      bets={{ inHand: given.inHand ?? null, chip: onChip, slide: onSlide }}
    />
  );
  return { onKey, onChip, onSlide, ...show(element) };
}

const names = (): (string | undefined)[] => screen.getAllByRole("button").map((button) => button.dataset.key);

describe("keys", () => {
  it("stay where they are when they are off, and say why", () => {
    showBar(bar(TURN));
    expect(names()).toEqual(["STAND", "DOUBLE", "SPLIT", "CALL_PIT"]);
    const split = screen.getByRole<HTMLButtonElement>("button", { name: /^Split/ });
    expect([split.getAttribute("aria-disabled"), split.tabIndex]).toEqual(["true", -1]);
    expect(split.textContent).toContain("no pair");
  });

  it("are all off while the table is not live, none of them gone", () => {
    showBar(bar(TURN), { off: true });
    expect(names()).toEqual(["STAND", "DOUBLE", "SPLIT", "CALL_PIT"]);
    expect(screen.getAllByRole<HTMLButtonElement>("button").every((button) => button.disabled)).toBe(true);
  });

  it("are named by what they do, with the letter as their shortcut", () => {
    showBar(bar(TURN));
    const double = screen.getByRole("button", { name: "Double +50.00" });
    expect(double.getAttribute("aria-keyshortcuts")).toBe("d");
  });

  it("say that a press was sent while its answer is awaited", () => {
    showBar(bar(TURN), { sent: "DOUBLE" });
    expect(screen.getByRole("button", { name: /^Double/ }).textContent).toContain("sent");
  });

  it("do what they stand for", () => {
    const { onKey } = showBar(bar(TURN));
    fireEvent.click(screen.getByRole("button", { name: /^Double/ }));
    expect(onKey).toHaveBeenCalledWith(TURN[1]);
  });

  it("are tapped while they are off, too: the page says why", () => {
    const { onKey } = showBar(bar(TURN));
    fireEvent.click(screen.getByRole("button", { name: /^Split/ }));
    expect(onKey).toHaveBeenCalledExactlyOnceWith(TURN[2]);
    expect(TURN[2]?.enabled).toBe(false);
  });
});

describe("Call pit", () => {
  it("wants a long press of a finger", () => {
    vi.useFakeTimers();
    const { onKey } = showBar(bar(TURN));
    const call = screen.getByRole("button", { name: /^Call pit/ });
    fireEvent.pointerDown(call);
    vi.advanceTimersByTime(300);
    fireEvent.pointerUp(call);
    fireEvent.click(call, { detail: 1 });
    vi.advanceTimersByTime(1000);
    expect(onKey, "a tap is too short").not.toHaveBeenCalled();
    fireEvent.pointerDown(call);
    vi.advanceTimersByTime(650);
    expect(onKey).toHaveBeenCalledTimes(1);
  });

  it("takes a key of the keyboard at once", () => {
    const { onKey } = showBar(bar(TURN));
    fireEvent.click(screen.getByRole("button", { name: /^Call pit/ }), { detail: 0 });
    expect(onKey).toHaveBeenCalledTimes(1);
  });
});

describe("chips", () => {
  const betting = bar([key("CLOSE", { main: true })], { chips: ["2.50", "5.00"] });

  it("come first, written as the reader writes money, and are named as chips", () => {
    showBar(betting);
    const rail = screen.getByRole("group", { name: "Chips" });
    const chips = within(rail).getAllByRole("button");
    expect(chips.map((chip) => chip.textContent)).toEqual(["2.50", "5"]);
    expect(chips.map((chip) => chip.getAttribute("aria-label"))).toEqual(["Chip of 2.50", "Chip of 5"]);
  });

  it("show which one every tapped box gets", () => {
    showBar(betting, { inHand: { chip: "5.00" } });
    const pressed = screen.getAllByRole("button", { pressed: true });
    expect(pressed.map((chip) => chip.dataset.chip)).toEqual(["5.00"]);
  });

  it("slide: each circle that the finger comes well over gets one, the rail itself none", () => {
    const { onChip, onSlide } = showBar(betting);
    const circle = document.createElement("i");
    circle.dataset.box = "4";
    const ring = circle.appendChild(document.createElement("i"));
    ring.className = "ring";
    let middle = 100;
    ring.getBoundingClientRect = () => new DOMRect(middle - 20, -20, 40, 40);
    const under = vi.spyOn(document, "elementFromPoint").mockReturnValue(circle);
    const five = screen.getByRole("button", { name: "Chip of 5" });
    fireEvent.pointerDown(five, { pointerId: 1, clientX: 0, clientY: 0 });
    fireEvent.pointerMove(window, { pointerId: 1, clientX: 10, clientY: 0 });
    expect(onSlide, "a finger that taps moves a little").not.toHaveBeenCalled();
    for (const x of [100, 110]) fireEvent.pointerMove(window, { pointerId: 1, clientX: x, clientY: 0 });
    circle.dataset.box = "2";
    middle = 150;
    fireEvent.pointerMove(window, { pointerId: 1, clientX: 150, clientY: 17 });
    circle.dataset.box = "5";
    middle = 200;
    fireEvent.pointerMove(window, { pointerId: 1, clientX: 200, clientY: 0 });
    fireEvent.pointerUp(window, { pointerId: 1 });
    fireEvent.pointerMove(window, { pointerId: 1, clientX: 300, clientY: 0 });
    expect(onSlide.mock.calls).toEqual([
      [4, "5.00"],
      [5, "5.00"],
    ]);
    expect(onChip).not.toHaveBeenCalled();
    under.mockRestore();
  });

  it("are laid by a tap and taken off by a long press", () => {
    const { onChip } = showBar(betting);
    const five = screen.getByRole("button", { name: "Chip of 5" });
    fireEvent.click(five);
    fireEvent.contextMenu(five);
    expect(onChip.mock.calls).toEqual([
      ["5.00", false],
      ["5.00", true],
    ]);
  });
});

describe("a settlement", () => {
  it("shows each box in the house's order and what was paid and taken", () => {
    const settling = {
      steps: [
        { box: 7, state: "done" },
        { box: 6, state: "now" },
        { box: 5, state: "none" },
        { box: 1, state: "open" },
      ] as const,
      done: 1,
      of: 3,
      paid: "22.50",
      taken: "100.00",
    };
    showBar(bar([key("DONE", { main: true })], { settling: { ...settling, steps: [...settling.steps] } }));
    expect(screen.getAllByRole("listitem").map((step) => step.textContent)).toEqual(["✓", "6", "5", "1"]);
    expect(screen.getByText("settled 1 of 3 · paid 22.50 · taken 100.00")).toBeTruthy();
  });
});
