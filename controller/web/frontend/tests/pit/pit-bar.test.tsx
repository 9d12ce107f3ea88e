// What waits for the pit: cameras' questions before alerts, each with what can be done about it.
import { fireEvent, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { PitControls } from "../../src/pit/pit-bar";
import type { DeviceRow, DoubtRow, TableView } from "../../src/view";
import { alertRow, card, hold, show, tableView, words } from "../kit";

const unsure = words("alert.CAMERA_UNSURE", { box: 1, was: "8h", seen: "3d" });

const doubt: DoubtRow = {
  doubt: 0,
  text: unsure,
  was: card(1, "8h"),
  seen: card(1, "3d"),
  name: { do: "name", camera: "cam", box: 1, at: null, was: "8h", seen: "3d", card: "", reason: "" },
  correct: null,
  table: null,
  picture: null,
};

const device = (name: string, state: DeviceRow["state"]): DeviceRow => ({
  name,
  kind: "camera",
  state,
  age_ms: 5,
  orders: [],
  deck: "",
  last_order: null,
});

function showBar(changes: Partial<TableView>) {
  const acts = vi.fn();
  const opened = vi.fn();
  show(
    <PitControls
      view={tableView(changes)}
      off={false}
      onActs={acts}
      onByHand={vi.fn()}
      onOpen={opened}
      onLeave={vi.fn()}
    />,
  );
  return { acts, opened };
}

const rows = (): (string | null)[] => screen.getAllByRole("listitem").map((row) => row.textContent);

describe("the list", () => {
  it("says what can be done where nothing waits", () => {
    showBar({});
    expect(screen.getByText("Tap a card to correct it")).toBeTruthy();
  });

  it("asks a camera's question first, and not twice", () => {
    const { opened } = showBar({
      alerts: [alertRow(4), alertRow(5, { text: unsure, severity: "critical" })],
      doubts: [doubt],
    });
    expect(rows()).toHaveLength(2);
    expect(rows()[0]).toContain("now reads 3♦");
    fireEvent.click(screen.getByRole("button", { name: "Which card?" }));
    expect(opened).toHaveBeenCalledWith({ open: "doubt", doubt });
  });

  it("tells an alert that somebody has seen from an open one, and by whom", () => {
    showBar({ alerts: [alertRow(4), alertRow(5, { status: "acked", by: "S-03" })] });
    expect(rows()[0]).toContain("open");
    expect(rows()[1]).toContain("seen by S-03");
    expect(screen.getAllByRole("button", { name: "Seen" })).toHaveLength(1);
    expect(screen.getAllByRole("button", { name: "Resolved" })).toHaveLength(2);
  });

  it("marks what is critical by a sign and not by its colour alone", () => {
    showBar({ alerts: [alertRow(4), alertRow(5, { severity: "critical" })] });
    expect(rows().map((row) => row?.[0])).toEqual(["▲", "!"]);
  });

  it("takes a step in the life of an alert", () => {
    const joined = alertRow(4, { alerts: [2, 4], box: 3, money: "25.00" });
    const { acts, opened } = showBar({ alerts: [joined] });
    expect(rows()[0]).toContain("× 2");
    expect(rows()[0]).toContain("25.00 at stake");
    fireEvent.click(screen.getByRole("button", { name: "Seen" }));
    fireEvent.click(screen.getByRole("button", { name: "Resolved" }));
    expect(acts.mock.calls).toEqual([
      [[2, 4].map((number) => ({ do: "alert", alert: number, step: "ack", note: "" }))],
    ]);
    expect(opened).toHaveBeenCalledWith({ open: "alert", alert: joined });
  });

  it("says to whom an alert was assigned", () => {
    showBar({ alerts: [alertRow(4, { status: "assigned", by: "S-02", note: "technician" })] });
    expect(rows()[0]).toContain("assigned to technician by S-02");
  });
});

describe("Go on", () => {
  const frozen = hold("FROZEN", { by: "D-17" });

  it("is off where nothing holds the table", () => {
    showBar({});
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Go on" }).disabled).toBe(true);
  });

  it("lifts the holds and names the devices that the table goes on without", () => {
    const { acts } = showBar({
      holds: [frozen],
      devices: [device("cam-1", "lost"), device("cam-2", "live")],
    });
    fireEvent.click(screen.getByRole("button", { name: "Go on" }));
    expect(acts).toHaveBeenCalledWith([{ do: "resume", without: ["cam-1"] }]);
  });
});
