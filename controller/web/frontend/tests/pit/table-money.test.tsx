// The table's own money: the next slip's number is proposed, and typed over where the slip in hand has another.
import { fireEvent, screen } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { TableMoney } from "../../src/pit/books/table-money";
import { show, tableView } from "../kit";

const number = (): HTMLInputElement => screen.getByRole("textbox", { name: "Number of the slip" });

it("proposes the number that follows the last slip of the kind", () => {
  const view = tableView({ slips: { fill: "F3", credit: "C12", drop: "4" } });
  show(<TableMoney actor="S-02" view={view} off={false} onApply={vi.fn()} onCancel={vi.fn()} />);
  expect(number().value).toBe("F3");
  fireEvent.input(number(), { target: { value: "" } });
  expect(number().value).toBe("");
  fireEvent.click(screen.getByRole("radio", { name: "Credit" }));
  expect(number().value).toBe("C12");
  fireEvent.click(screen.getByRole("radio", { name: "Void a fill" }));
  expect(number().value).toBe("");
});

it("writes down that a dealer goes for a break: who deals, unless somebody else is named", () => {
  const apply = vi.fn();
  const view = tableView({ dealing: "D-3" });
  show(<TableMoney actor="S-02" view={view} off={false} onApply={apply} onCancel={vi.fn()} />);
  const name = (): HTMLInputElement => screen.getByRole("textbox", { name: "Dealer" });
  const key = screen.getByRole<HTMLButtonElement>("button", { name: "Apply" });
  fireEvent.click(screen.getByRole("radio", { name: "Break ends" }));
  expect([name().value, key.disabled]).toEqual(["", true]);
  fireEvent.click(screen.getByRole("radio", { name: "Break begins" }));
  expect([name().value, key.disabled]).toEqual(["D-3", false]);
  fireEvent.input(name(), { target: { value: " D-17 " } });
  fireEvent.click(key);
  expect(apply).toHaveBeenCalledWith({ obs: "dealer", id: "D-17", at: "out" }, expect.anything());
});
