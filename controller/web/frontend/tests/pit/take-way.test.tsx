// Letting a fault stand is one confirmed act with a reason.
import { fireEvent, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { TakeWay } from "../../src/pit/dialogs";
import type { PlainWay } from "../../src/pit/ways";
import { hold, show, tableView, words } from "../kit";

function open(way: PlainWay) {
  const onApply = vi.fn();
  const onByHand = vi.fn();
  const row = hold("HOLE_CARD_EXPOSED", { text: words("hold.RESTARTED"), ways: [way] });
  show(
    <TakeWay
      hold={row}
      way={way}
      actor="S-02"
      view={tableView({ holds: [row] })}
      off={false}
      onApply={onApply}
      onByHand={onByHand}
      onCancel={vi.fn()}
    />,
  );
  return { onApply, onByHand };
}

const apply = (): HTMLButtonElement => screen.getByRole("button", { name: "Apply" });

describe("a way out", () => {
  it("lets it stand with a reason, once it is confirmed", () => {
    const { onApply } = open("keep");
    expect(apply().disabled).toBe(true);
    fireEvent.click(screen.getByRole("radio", { name: "Card exposed or damaged" }));
    expect(onApply).not.toHaveBeenCalled();
    fireEvent.click(apply());
    expect(onApply).toHaveBeenCalledWith(
      { obs: "resume", codes: ["HOLE_CARD_EXPOSED"], by: "S-02", reason: "CARD_EXPOSED" },
      7,
    );
  });

  it("brings a fresh shoe of the house's packs", () => {
    const { onApply } = open("shoe");
    fireEvent.click(apply());
    expect(onApply).toHaveBeenCalledWith({ obs: "shoe", decks: 6 }, 7);
  });

  it("leads to the pad for a card that the shoe cannot read", () => {
    const { onByHand } = open("draw");
    fireEvent.click(screen.getByRole("button", { name: "Cards by hand" }));
    expect(onByHand).toHaveBeenCalled();
  });
});
