// The line that rules the dealer's screen: moves of money are told one by one, each with sign, word and amount.
import { screen } from "@testing-library/preact";
import { describe, expect, it, test } from "vitest";
import { LANGUAGES } from "../../src/i18n/i18n";
import { InstructionBar } from "../../src/shared/instruction-bar";
import type { Prompt } from "../../src/view";
import { i18nOf, prompt, show, tableView, words } from "../kit";

const pay = prompt({
  line: words("line.PAY", { box: 3, amount: { money: "22.50" } }),
  tone: "pay",
  icon: "pay",
  chips: [
    ["5.00", 4],
    ["2.50", 1],
  ],
  detail: [words("outcome.blackjack", { won: 3, staked: 2, stake: { money: "15.00" } })],
  side: { title: words("ui.next"), text: words("line.TAKE", { box: 2, amount: { money: "10.00" } }) },
});
const take = prompt({
  line: words("line.TAKE", { box: 2, amount: { money: "10.00" } }),
  tone: "take",
  icon: "take",
});

const bar = (shown: Prompt) => (
  <InstructionBar prompt={shown} detail={shown.detail} chips={tableView().chips} />
);

const line = (): string => screen.getByRole("heading", { level: 1 }).textContent;

describe("the line", () => {
  it("pays with amount and chips, and says what comes next", () => {
    const { container } = show(bar(pay));
    expect(line()).toBe("PAY BOX 3: 22.50");
    const chips = [...container.querySelectorAll(".instruction-chip")].map((chip) => chip.textContent);
    expect(chips).toHaveLength(2);
    expect(chips[0]).toContain("4 × 5");
    expect(chips[1]).toContain("1 × 2.50");
    expect(screen.getByText("TAKE BOX 2: 10.00")).toBeTruthy();
  });

  it("takes as a move of its own, told apart by more than its colour", () => {
    const shown = show(bar(pay));
    const paying = shown.container.querySelector(".icon path")?.getAttribute("d");
    shown.again(bar(take));
    expect(line()).toBe("TAKE BOX 2: 10.00");
    expect(shown.container.querySelector(".instruction-bar")?.getAttribute("data-tone")).toBe("take");
    expect(shown.container.querySelector(".icon path")?.getAttribute("d")).not.toBe(paying);
  });

  it("is told at once to who cannot see it", () => {
    show(bar(take));
    expect(screen.getByRole("heading", { level: 1 }).getAttribute("aria-live")).toBe("assertive");
  });

  test.for(LANGUAGES)("writes the amount as %s writes money", (language) => {
    show(bar(pay), language);
    expect(line()).toContain(i18nOf(language).money("22.50"));
  });
});
