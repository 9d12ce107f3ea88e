// A hold on the pit's page: its rule, its evidence, and a key for each way that the house allows.
import { fireEvent, screen, within } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { HoldList } from "../../src/pit/alerts";
import { hold, show, tableView, words } from "../kit";

function list(changes: Parameters<typeof hold>[1]) {
  const opened = vi.fn();
  const view = tableView({ holds: [hold("DEALER_DREW_ON_17", { text: words("hold.FROZEN"), ...changes })] });
  show(<HoldList view={view} off={false} onOpen={opened} />);
  return opened;
}

const keys = (): string[] =>
  within(screen.getByRole("article"))
    .getAllByRole("button")
    .map((key) => key.textContent);

describe("a hold", () => {
  it("shows the card, who read it, the rule and who lifts it", () => {
    list({
      ways: ["burn"],
      card: 3,
      rule: words("ui.rule", { source: "NSW BJ 17.3.1" }),
      read: words("ui.read_surely", { by: "shoe", percent: 97 }),
    });
    const row = screen.getByRole("article").textContent;
    expect(row).toContain("Box 1, card 2, 6 of Spades");
    expect(row).toContain("read by shoe, 97 %");
    expect(row).toContain("Rule: NSW BJ 17.3.1");
    expect(row).toContain("the pit lifts it");
  });

  it("offers what the house allows and nothing else, the usual way first", () => {
    list({ ways: ["burn", "correct", "move"], card: 3 });
    expect(keys()).toEqual(["burn the card", "correct the card", "move the card"]);
    expect(screen.getByRole("button", { name: "burn the card" }).className).toContain("main");
  });

  it("opens the dialog of a way filled in for the fault", () => {
    const opened = list({ ways: ["burn", "paid", "void_box", "keep"], card: 3, box: 1, seat: 0 });
    for (const key of screen.getAllByRole("button")) fireEvent.click(key);
    expect(opened.mock.calls.map(([dialog]) => dialog)).toMatchObject([
      { open: "entered", at: { fact: "card", card: 3, box: 1, round: 1, way: "burn" } },
      { open: "entered", at: { fact: "paid", box: 1, seat: 0, round: 1 } },
      { open: "void", box: 1 },
      { open: "way", way: "keep" },
    ]);
  });

  it("asks for a tap on a card where the fault names none", () => {
    list({ ways: ["correct"] });
    const key = screen.getByRole<HTMLButtonElement>("button");
    expect([key.disabled, key.textContent]).toEqual([true, "correct the cardtap the card"]);
  });

  it("of a card too many in the rest begins with taking it out of the count", () => {
    const opened = list({ code: "REST_CARD_EXTRA", ways: ["keep"] });
    expect(keys()).toEqual(["Read twice: take it out", "accept it and play on"]);
    fireEvent.click(screen.getByRole("button", { name: "Read twice: take it out" }));
    expect(opened).toHaveBeenCalledWith({ open: "counted" });
    expect(document.querySelectorAll("button.main")).toHaveLength(1);
  });

  it("without ways out is left to Go on", () => {
    list({ ways: [] });
    expect(screen.queryByRole("article")).toBeNull();
  });
});
