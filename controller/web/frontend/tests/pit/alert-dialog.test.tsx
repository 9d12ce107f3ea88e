// What the pit sees of an alert: the evidence of the moment at which the table held, beside what is there now.
import { screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { AlertDialog } from "../../src/pit/alerts";
import type { AlertRow, HeldEvidence } from "../../src/view";
import { alertRow, show, tableView, words } from "../kit";

const alert = (held: HeldEvidence | null): AlertRow =>
  alertRow(7, {
    text: words("alert.CARD_READ_DIFFERENTLY", { shoe: "2s", camera: "3s", line: 5 }),
    severity: "critical",
    box: 1,
    holds: true,
    held,
  });

function showDialog(held: HeldEvidence | null): void {
  show(
    <AlertDialog
      alert={alert(held)}
      view={tableView({ alerts: [alert(held)] })}
      off={false}
      onSteps={vi.fn()}
      onOpen={vi.fn()}
      onCancel={vi.fn()}
    />,
  );
}

describe("the evidence of an alert", () => {
  it("shows the crop of the moment and the shoe's line as bytes, text and meaning", () => {
    showDialog({
      at_utc_us: 0,
      pictures: [{ camera: "overhead", picture: "/api/pictures/abc" }],
      shoe: { hex: "05 30 44", text: "·0D", reports: ["card: rank 2, suit s, by shoe"] },
    });
    expect(screen.getByAltText("Camera overhead").getAttribute("src")).toBe("/api/pictures/abc");
    const line = screen.getByText("The shoe's line").closest("dl");
    expect(line?.textContent).toContain("05 30 44");
    expect(line?.textContent).toContain("·0D");
    expect(line?.textContent).toContain("card: rank 2, suit s, by shoe");
  });

  it("says nothing of a moment of which nothing is kept", () => {
    showDialog(null);
    expect(screen.queryByText(/When the table held/)).toBeNull();
  });
});
