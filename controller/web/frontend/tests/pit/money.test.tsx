// The table's own money: nothing chosen beforehand, the next slip proposed, the sum at once, two people where chips move.
import { fireEvent, screen } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { MoneyForm, MoneyKeys, type MoneyKind, type VoidedSlip } from "../../src/pit/money";
import { SecondContext } from "../../src/pit/ruling";
import type { TableView } from "../../src/view";
import { show, tableView } from "../kit";

const apply = (): HTMLButtonElement => screen.getByRole("button", { name: /^Record/ });

function open(kind: MoneyKind | VoidedSlip, view: TableView = tableView(), person: string | null = null) {
  const onApply = vi.fn();
  show(
    <SecondContext.Provider value={{ needed: false, person, sign: vi.fn() }}>
      <MoneyForm
        kind={kind}
        actor="S-02"
        view={view}
        off={false}
        float="1000.00"
        onApply={onApply}
        onCancel={vi.fn()}
      />
    </SecondContext.Provider>,
  );
  return onApply;
}

it("has a key for each thing that happens to the float, and none is chosen beforehand", () => {
  const choose = vi.fn();
  show(<MoneyKeys chosen={null} off={false} onChoose={choose} />);
  const keys = screen.getAllByRole("button");
  expect(keys.every((key) => key.getAttribute("aria-pressed") === "false")).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Fill…" }));
  expect(choose).toHaveBeenCalledExactlyOnceWith("fill");
});

it("proposes the slip that follows, adds the pieces up and says what the float becomes", () => {
  const view = tableView({ slips: { fill: "F3", credit: "C12", drop: "4" } });
  const onApply = open("fill", view, "S-03");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Number of the slip" }).value).toBe("F3");
  expect([apply().disabled, apply().textContent]).toEqual([
    true,
    "Record Fill F3: something is missing above",
  ]);
  fireEvent.click(screen.getByRole("button", { name: "One 25 more" }));
  fireEvent.input(screen.getByRole("textbox", { name: "Pieces of 5" }), { target: { value: "3" } });
  expect(screen.getByText("Together 40.00")).toBeTruthy();
  expect(screen.getByText("Float, expected 1,000.00 → 1,040.00")).toBeTruthy();
  fireEvent.click(apply());
  const fill = { obs: "fill", slip: "F3", chips: { "500": 3, "2500": 1 }, by: "S-02" };
  expect(onApply).toHaveBeenCalledWith({ do: "observe", obs: fill }, 7);
});

it("takes back no drop without a reason and another person, as no slip", () => {
  open({ kind: "drop", slip: "2" });
  fireEvent.click(screen.getByRole("radio", { name: "Other" }));
  expect(apply().textContent).toBe("Record Void a drop 2: the second signature is missing");
  expect(apply().disabled).toBe(true);
});

it("writes down that a dealer goes for a break: who deals, unless somebody else is named", () => {
  const onApply = open("break", tableView({ dealing: "D-3" }));
  const name = (): HTMLInputElement => screen.getByRole("textbox", { name: "Dealer" });
  fireEvent.click(screen.getByRole("radio", { name: "Break ends" }));
  expect([name().value, apply().disabled]).toEqual(["", true]);
  fireEvent.click(screen.getByRole("radio", { name: "Break begins" }));
  expect([name().value, apply().disabled]).toEqual(["D-3", false]);
  fireEvent.input(name(), { target: { value: " D-17 " } });
  fireEvent.click(apply());
  expect(onApply.mock.calls[0]?.[0]).toEqual({
    do: "observe",
    obs: { obs: "dealer", id: "D-17", at: "out" },
  });
});
