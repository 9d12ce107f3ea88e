// A correction: hands and money before and after, a reason, and nothing on the wire before Apply.
import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { CorrectCard } from "../../src/pit/correct-card";
import type { Preview, TableView } from "../../src/view";
import { card, i18nOf, serve, show, tableView, words } from "../kit";

const outcome = (seq: number): Preview => ({
  seq,
  problem: null,
  disputes: false,
  hands: [
    {
      box: 1,
      hand: 1,
      before: [card(1, "10h"), card(3, "6s")],
      total_before: "16",
      outcome_before: "lose",
      after: [card(1, "10h"), card(3, "9s")],
      total_after: "19",
      outcome_after: "win",
    },
  ],
  stakes: [],
  money: [{ box: 1, seat: 0, before: "0.00", after: "50.00", change: "50.00" }],
  house_change: "-50.00",
});

function open(given: { view?: TableView; preview?: Partial<Preview>; card?: number } = {}) {
  const view = given.view ?? tableView();
  const sent = serve({ "/api/preview": () => Response.json({ ...outcome(view.seq), ...given.preview }) });
  const onApply = vi.fn();
  const onCancel = vi.fn();
  const dialog = (table: TableView, off = false) => (
    <CorrectCard
      card={given.card ?? 3}
      actor="S-02"
      view={table}
      off={off}
      onApply={onApply}
      onCancel={onCancel}
    />
  );
  const shown = show(dialog(view));
  const answerAs = (seq: number): void => {
    serve({ "/api/preview": () => Response.json(outcome(seq)) });
  };
  return {
    sent,
    onApply,
    onCancel,
    answerAs,
    update: (table: TableView, off = false) => shown.again(dialog(table, off)),
  };
}

const apply = (): HTMLButtonElement => screen.getByRole("button", { name: "Apply" });
const choose = (rank: string): void => void fireEvent.click(screen.getByRole("button", { name: rank }));
const giveReason = (): void =>
  void fireEvent.click(screen.getByRole("radio", { name: "Misread by the reader" }));

describe("a correction", () => {
  it("is a modal dialog whose title says where the card lies and what it is taken for", () => {
    open();
    const dialog = screen.getByRole<HTMLDialogElement>("dialog", {
      name: "Box 1, card 2, 6 of Spades: what is it really?",
    });
    expect(dialog.open).toBe(true);
    expect(dialog.getAttribute("aria-modal")).toBe("true");
  });

  it("sends nothing but the question of what would change before Apply is pressed", async () => {
    const { sent, onApply } = open();
    choose("9");
    giveReason();
    await screen.findByText("+50.00");
    expect(sent.map((one) => one.path)).toEqual(["/api/preview"]);
    expect(onApply).not.toHaveBeenCalled();
    fireEvent.click(apply());
    expect(onApply).toHaveBeenCalledWith(
      { obs: "correct", card: 3, rank: "9", by: "S-02", reason: "MISREAD" },
      7,
    );
  });

  it("shows hands and money before and after, and what it means for the house", async () => {
    open();
    choose("9");
    const rows = await screen.findAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual([
      "BeforeAfterChange",
      "Box 1, hand 110 6 LOSE 1610 9 WIN 19",
      "Box 1: handed back0.0050.00+50.00",
      "House−50.00",
    ]);
  });

  it("cannot be applied without a reason, nor without a choice", async () => {
    open();
    expect(apply().disabled).toBe(true);
    choose("9");
    await screen.findByText("+50.00");
    expect(apply().disabled).toBe(true);
    giveReason();
    expect(apply().disabled).toBe(false);
  });

  it("is not asked for again because a reason was chosen", async () => {
    const { sent } = open();
    choose("9");
    await screen.findByText("+50.00");
    giveReason();
    await waitFor(() => expect(apply().disabled).toBe(false));
    expect(sent).toHaveLength(1);
  });

  it("never shows the preview of another choice", async () => {
    open();
    choose("9");
    giveReason();
    await screen.findByText("+50.00");
    fireEvent.click(screen.getByRole("button", { name: "Not of this round" }));
    expect(screen.queryByText("+50.00")).toBeNull();
    expect(apply().disabled).toBe(true);
  });

  it("that the rules refuse says why and cannot be applied", async () => {
    open({ preview: { problem: words("refused.NO_SUCH_CARD"), hands: [], money: [] } });
    choose("9");
    giveReason();
    await screen.findByText(i18nOf("en").text("refused.NO_SUCH_CARD"));
    expect(apply().disabled).toBe(true);
  });

  it("that leads to a dispute says so and can be applied", async () => {
    open({ preview: { problem: words("alert.CARD_OWED", { box: 1 }), disputes: true } });
    choose("9");
    giveReason();
    await screen.findByText(/would be disputed/);
    expect(apply().disabled).toBe(false);
  });

  it("moves a card to another hand or strikes it", async () => {
    const { onApply } = open();
    giveReason();
    fireEvent.click(screen.getByRole("button", { name: "Dealer" }));
    await screen.findByText("+50.00");
    fireEvent.click(apply());
    fireEvent.click(screen.getByRole("button", { name: "Not of this round" }));
    await screen.findByText("+50.00");
    fireEvent.click(apply());
    expect(onApply.mock.calls.map(([obs]) => obs)).toEqual([
      { obs: "move", card: 3, to: "dealer", by: "S-02", reason: "MISREAD" },
      { obs: "strike", card: 3, by: "S-02", reason: "MISREAD", burn: true },
    ]);
  });

  it("is left by Cancel and by Escape", () => {
    const { onCancel } = open();
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    screen.getByRole("dialog").dispatchEvent(new Event("cancel"));
    expect(onCancel).toHaveBeenCalledTimes(2);
  });

  it("cannot be applied while the table is not live", async () => {
    const { update } = open();
    choose("9");
    giveReason();
    await screen.findByText("+50.00");
    update(tableView(), true);
    expect(apply().disabled).toBe(true);
  });
});

describe("a table that has moved meanwhile", () => {
  it("asks for the signature again before anything can be applied", async () => {
    const { update, answerAs, onApply } = open();
    choose("9");
    giveReason();
    await screen.findByText("+50.00");
    answerAs(8);
    const hands = [
      {
        ...tableView().boxes[0]?.hands[0],
        cards: [card(1, "10h"), card(3, "6s"), card(5, "2c")],
        total: "18",
      },
    ];
    const boxes = tableView().boxes.map((box) =>
      box.box === 1 ? { ...box, hands: hands as typeof box.hands } : box,
    );
    update(tableView({ seq: 8, boxes }));
    const moved = await screen.findByRole("alert");
    expect(within(moved).getByRole("listitem").textContent).toBe("Box 1, hand 1: 10 6 16 → 10 6 2 18");
    expect(apply().disabled).toBe(true);
    const again = await screen.findByRole<HTMLButtonElement>("button", {
      name: "S-02: seen, decide on this",
    });
    await waitFor(() => expect(again.disabled).toBe(false));
    fireEvent.click(again);
    await waitFor(() => expect(apply().disabled).toBe(false));
    fireEvent.click(apply());
    expect(onApply.mock.calls[0]?.[1], "the table that was confirmed").toBe(8);
  });
});
