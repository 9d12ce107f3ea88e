// The shoe's panel: what is offered to whom, and the rest of a shoe tapped card by card.
import { fireEvent, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { RestCount, ShoePanel } from "../src/shoe/shoe-panel";
import type { ShoeView } from "../src/view";
import { key, shoe, show, tableView, words } from "./kit";

function panel(pit: boolean, changes: Partial<ShoeView> = {}) {
  const pressed = vi.fn();
  const opened = vi.fn();
  show(
    <ShoePanel
      view={tableView({ shoe: shoe(changes) })}
      off={false}
      pit={pit}
      onKey={pressed}
      onOpen={opened}
      onCancel={vi.fn()}
    />,
  );
  return { pressed, opened };
}

describe("the panel", () => {
  it("says how the shoe stands and what is due", () => {
    panel(false, { state: "run_out", burn_later: 5, shuffle_due: true });
    const told = screen.getAllByRole("listitem").map((row) => row.textContent);
    expect(told).toEqual([
      "Empty: no card is left in it",
      "Burn after this round: 5",
      "The shuffle is due before the next round",
    ]);
  });

  it("sends what a key means, and names the reason of one that is off", () => {
    const off = key("START_SHOE_6", { enabled: false, note: words("why.CARDS_LEFT") });
    const { pressed } = panel(false, { keys: [off, key("CUT_CARD")] });
    fireEvent.click(screen.getByRole("button", { name: /Cut card is out/ }));
    expect(pressed.mock.calls[0]?.[0].key).toBe("CUT_CARD");
    expect(screen.getByText("cards are left in the shoe").closest("button")).toHaveProperty("disabled", true);
  });

  it("offers limits, the closing count and the shoe's end to the pit alone", () => {
    panel(false);
    expect(screen.queryByText("Closing count")).toBeNull();
    const { opened } = panel(true);
    fireEvent.click(screen.getByText("Closing count"));
    fireEvent.click(screen.getByText("Limits"));
    fireEvent.click(screen.getByText("Shoe out of play"));
    expect(opened.mock.calls.map(([dialog]) => dialog.open)).toEqual(["counted", "limits", "shoe-void"]);
  });
});

it("tells each card of the rest as often as it was tapped, less what was taken back", () => {
  const applied = vi.fn();
  show(<RestCount view={tableView({ seq: 9 })} off={false} onApply={applied} onCancel={vi.fn()} />);
  const tap = (name: string): boolean => fireEvent.click(screen.getByRole("button", { name }));
  tap("A♠ 0");
  tap("A♠ 1");
  tap("10♥ 0");
  tap("K♦ 0");
  tap("Take one back");
  tap("K♦ 1");
  expect(screen.getByText("Counted: 3")).toBeTruthy();
  tap("Apply");
  expect(applied).toHaveBeenCalledWith({ obs: "shoe_end", cards: ["As", "As", "10h"] }, 9);
});
