// What nobody has confirmed: counted for the pit, named, and put right where the page knows the round.
import { cleanup, fireEvent, screen } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import { NotConfirmed } from "../../src/pit/alerts";
import type { TableView } from "../../src/view";
import { show, tableView } from "../kit";

afterEach(cleanup);

const rows: TableView["unconfirmed"] = [
  { round: 4, box: 3, seat: 1, amount: "20.00" },
  { round: 4, box: 1, seat: 0, amount: "37.50" },
];

function list(round: number) {
  const onOpen = vi.fn();
  const view = tableView({ round, unconfirmed: rows, unconfirmed_count: 9 });
  show(<NotConfirmed view={view} off={false} onOpen={onOpen} />);
  return onOpen;
}

test("payouts that nobody has confirmed are counted and the newest are named", () => {
  list(5);
  const row = screen.getByRole("listitem");
  expect(row.textContent).toContain("Payouts not confirmed: 9");
  expect(row.textContent).toContain("Round 4, box 3 +1");
  expect(row.textContent).toContain("37.50");
});

test("the newest is put right in the dialog of its round", () => {
  const onOpen = list(5);
  fireEvent.click(screen.getByRole("button"));
  expect(onOpen).toHaveBeenCalledWith({
    open: "entered",
    at: { fact: "paid", box: 3, seat: 1, round: 4 },
  });
});

test("a round that the page knows no more has no key", () => {
  list(6);
  expect(screen.queryByRole("button")).toBeNull();
});
