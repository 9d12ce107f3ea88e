// A camera contradicts itself: the pit names the card, and the table is corrected only where it has it wrong.
import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { CameraDoubt } from "../../src/pit/camera-doubt";
import type { DoubtRow, NameAct, TableView } from "../../src/view";
import { card, preview, serve, show, tableView, words } from "../kit";

const NAME: NameAct = {
  do: "name",
  camera: "cam-1",
  box: 1,
  at: [10, 20],
  was: "8h",
  seen: "3d",
  card: "",
  reason: "",
};

const DOUBT: DoubtRow = {
  doubt: 0,
  text: words("alert.CAMERA_UNSURE", { box: 1, was: "8h", seen: "3d" }),
  was: card(1, "8h"),
  seen: card(1, "3d"),
  name: NAME,
  correct: { obs: "correct", card: 1 },
  table: card(1, "8h"),
  picture: "/api/pictures/1.jpg",
};

function open(doubts: DoubtRow[] = [DOUBT]) {
  const sent = serve({
    "/api/preview": () => Response.json(preview()),
  });
  const onAct = vi.fn();
  const dialog = (view: TableView) => (
    <CameraDoubt doubt={DOUBT} actor="S-02" view={view} off={false} onAct={onAct} onCancel={vi.fn()} />
  );
  show(dialog(tableView({ doubts })));
  return { sent, onAct };
}

const apply = (): HTMLButtonElement => screen.getByRole("button", { name: "Apply" });
const press = (name: string | RegExp): void => void fireEvent.click(screen.getByRole("button", { name }));
const giveReason = (): void =>
  void fireEvent.click(screen.getByRole("radio", { name: "Misread by the reader" }));

describe("the pit names a card", () => {
  it("that the table has right: only the camera is told", () => {
    const { sent, onAct } = open();
    press(/The camera was certain 8 of Hearts/);
    giveReason();
    expect(screen.getByText(/table's cards and money stay as they are/)).toBeTruthy();
    press("Apply");
    expect(onAct).toHaveBeenCalledWith({ ...NAME, card: "8h", reason: "MISREAD" }, 7);
    expect(sent).toEqual([]);
  });

  it("that the table has wrong: the table is corrected, after a preview", async () => {
    const { onAct } = open();
    press(/It reads now 3 of Diamonds/);
    giveReason();
    expect(apply().disabled).toBe(true);
    await waitFor(() => expect(apply().disabled).toBe(false));
    press("Apply");
    const obs = { obs: "correct", card: 1, rank: "3", suit: "d", by: "S-02", reason: "MISREAD" };
    expect(onAct).toHaveBeenCalledWith({ do: "observe", obs }, 7);
  });

  it("that is neither, by rank and suit", async () => {
    const { onAct } = open();
    press("9");
    press("Hearts");
    giveReason();
    await waitFor(() => expect(apply().disabled).toBe(false));
    press("Apply");
    expect(onAct.mock.calls[0]?.[0]).toMatchObject({ obs: { rank: "9", suit: "h" } });
  });

  it("only when rank, suit and a reason are chosen; nothing is chosen beforehand", () => {
    open();
    expect(screen.queryAllByRole("button", { pressed: true })).toEqual([]);
    press("8");
    giveReason();
    expect(apply().disabled).toBe(true);
    press("Hearts");
    expect(apply().disabled).toBe(false);
  });

  it("no more once nobody asks", () => {
    open([]);
    press(/The camera was certain/);
    giveReason();
    expect(screen.getByText(/no longer asks whether it is 8♥ or 3♦/)).toBeTruthy();
    expect(apply().disabled).toBe(true);
  });
});
