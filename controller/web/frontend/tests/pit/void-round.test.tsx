// Voiding: the whole round or one box, always with a reason, and never a table that nobody has looked at.
import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { VoidRound } from "../../src/pit/dialogs";
import type { TableView } from "../../src/view";
import { preview, serve, show, tableView } from "../kit";

/** What voiding hands back, by the box that is void; 0 for the round. */
const HANDED_BACK: Record<number, string> = { 0: "25.00", 1: "10.00" };

function outcome(box: number) {
  const back = HANDED_BACK[box] ?? "";
  const stakes = [{ box: 1, seat: 0, before: back, after: "0.00", change: `-${back}` }];
  return preview({ stakes });
}

function open() {
  serve({
    "/api/preview": (body) => Response.json(outcome((body as { obs: { box?: number } }).obs.box ?? 0)),
  });
  const onApply = vi.fn();
  const dialog = (view: TableView) => (
    <VoidRound actor="S-02" view={view} off={false} onApply={onApply} onCancel={vi.fn()} />
  );
  const shown = show(dialog(tableView()));
  return { onApply, update: (view: TableView) => shown.again(dialog(view)) };
}

const apply = (): HTMLButtonElement => screen.getByRole("button", { name: "Apply" });
const pick = (name: string): void => void fireEvent.click(screen.getByRole("radio", { name }));

describe("voiding", () => {
  it("offers the round and each box with a stake, the round being chosen", () => {
    open();
    const parts = screen.getByRole("group", { name: "What is void" }).querySelectorAll("label");
    expect([...parts].map((part) => part.textContent)).toEqual(["The whole round", "Box 1"]);
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "The whole round" }).checked).toBe(true);
  });

  it("wants a reason and says whose ruling it is", () => {
    const { onApply } = open();
    expect(apply().disabled).toBe(true);
    pick("Dealer error");
    fireEvent.click(apply());
    pick("Box 1");
    fireEvent.click(apply());
    expect(onApply.mock.calls).toEqual([
      [{ obs: "void", by: "S-02", reason: "DEALER_ERROR" }, 7],
      [{ obs: "void", box: 1, by: "S-02", reason: "DEALER_ERROR" }, 7],
    ]);
  });

  it("waits until a table that has moved is confirmed", () => {
    const { onApply, update } = open();
    pick("Dealer error");
    update(tableView({ seq: 9 }));
    expect(apply().disabled).toBe(true);
    expect(screen.getByRole("alert").textContent).toContain("entry 7 → 9");
    fireEvent.click(screen.getByRole("button", { name: "S-02: seen, decide on this" }));
    fireEvent.click(apply());
    expect(onApply.mock.calls[0]?.[1]).toBe(9);
  });

  it("shows what goes back to whom before anybody signs", async () => {
    open();
    await waitFor(() => expect(screen.getByRole("table").textContent).toContain("−25.00"));
    pick("Box 1");
    await waitFor(() => expect(screen.getByRole("table").textContent).toContain("−10.00"));
  });
});
