// What waits on the pit's page: one thing is open, the first or what the address names; the others are a line.
import { fireEvent, screen } from "@testing-library/preact";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Alerts } from "../../src/floor/alerts";
import type { PitTable } from "../../src/floor/live-table";
import type { Commands } from "../../src/shared/use-commands";
import { alertRow, card, hold, show, tableView, words } from "../kit";

const view = tableView({
  holds: [
    hold("WRONG_PAYOUT", { title: words("fault_name.WRONG_PAYOUT"), ways: ["paid"], since_utc_us: 5 }),
    hold("FROZEN", {
      title: words("fault_name.FROZEN"),
      text: words("hold.FROZEN", { note: "" }),
      ways: ["keep"],
      since_utc_us: 9,
    }),
  ],
  alerts: [
    alertRow(31),
    alertRow(32, { text: words("hold.FROZEN", { note: "" }), holds: true, money: "10.00" }),
  ],
});

function draw(shown: typeof view, search = "", more: Partial<PitTable> = {}) {
  const go = vi.fn();
  const open = vi.fn();
  const commands = {} as Commands;
  const table = { view: shown, off: false, played: null, commands, open, ruling: null, go, ...more };
  const place = { base: "/pit", page: "tables" as const, what: "", query: new URLSearchParams(search) };
  show(<Alerts table={table} view={shown} go={go} place={place} />);
  return { go, open };
}

const list = (search = "") => draw(view, search).go;

const named = (): string[] =>
  screen.getAllByRole("button", { expanded: true }).map((one) => one.textContent ?? "");

describe("what waits", () => {
  beforeAll(() => {
    Element.prototype.scrollIntoView = vi.fn();
  });

  it("opens the first and shows the others with their money", () => {
    list();
    expect(named()).toEqual(["Wrong payout"]);
    expect(document.querySelectorAll("[data-way]")).toHaveLength(1);
    expect(document.querySelector("[data-hold='FROZEN'] .stake")?.textContent).toContain("10.00");
  });

  it("draws what two readers differ over as equal answers", () => {
    const readings = [
      { title: words("ui.device_shoe"), card: card(3, "9s") },
      { title: words("ui.device_camera"), card: card(3, "6s") },
    ];
    const differs = hold("CARD_READ_DIFFERENTLY", {
      ways: ["correct"],
      card: 3,
      round: view.round,
      readings,
    });
    const { open } = draw({ ...view, holds: [differs] });
    const [nine, six] = document.querySelectorAll(".both button");
    expect([nine, six].map((one) => one?.getAttribute("aria-pressed"))).toEqual(["false", "false"]);
    fireEvent.click(six as Element);
    expect(open.mock.calls[0]?.[0]).toEqual({
      open: "entered",
      at: { fact: "card", card: 3, box: 1, round: 1, way: "correct", rank: "6" },
    });
  });

  it("has an address for a stop, and brings what it names into sight", () => {
    const go = list("ledger=waits");
    fireEvent.click(screen.getByRole("button", { name: "Pit called" }));
    expect(go).toHaveBeenCalledWith(expect.stringContaining("?ledger=waits&alert=32"), true);
    document.body.replaceChildren();
    list("alert=32");
    expect(named()).toEqual(["Pit called"]);
    expect(document.querySelector(".wanted")?.getAttribute("data-hold")).toBe("FROZEN");
    expect(Element.prototype.scrollIntoView).toHaveBeenCalled();
  });
});
