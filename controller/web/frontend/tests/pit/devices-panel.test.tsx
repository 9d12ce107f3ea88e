// The devices of the table: an order always has a reason, and its answer stays to be read.
import { fireEvent, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { DevicesPanel } from "../../src/pit/dialogs";
import type { DeviceRow, Words } from "../../src/view";
import { show, tableView, words } from "../kit";

const SHOE: DeviceRow = {
  name: "shoe",
  kind: "shoe",
  state: "live",
  age_ms: 5,
  orders: ["lock", "clear_error"],
  deck: "",
  last_order: {
    order: words("ui.order_unlock"),
    by: "S-02",
    at_utc_us: 1_700_000_000_000_000,
    answer: words("ui.order_refused", { reason: "LID" }),
    done: false,
  },
};

const BUMPED: DeviceRow = {
  name: "overhead",
  kind: "camera",
  state: "stale",
  age_ms: 5,
  orders: ["calibrate"],
  deck: "",
  last_order: null,
};

function open(given: { refusal?: Words; off?: boolean; device?: DeviceRow } = {}) {
  const acts = vi.fn();
  show(
    <DevicesPanel
      view={tableView({ devices: [given.device ?? SHOE] })}
      off={given.off ?? false}
      refusal={given.refusal ?? null}
      onAct={acts}
      onCancel={vi.fn()}
    />,
  );
  return acts;
}

const lock = (): HTMLButtonElement => screen.getByRole("button", { name: "Lock" });

/** Choose why, then press what is ordered. */
function press(reason: string, key: string) {
  fireEvent.click(screen.getByRole("radio", { name: reason }));
  fireEvent.click(screen.getByRole("button", { name: key }));
}

describe("the devices", () => {
  it("take an order once there is a reason", () => {
    const acts = open();
    expect(lock().disabled).toBe(true);
    fireEvent.click(screen.getByRole("radio", { name: "Card stuck" }));
    fireEvent.click(lock());
    expect(acts).toHaveBeenCalledWith({ do: "order", device: "shoe", order: "lock", reason: "CARD_STUCK" });
  });

  it("have a bumped camera calibrated where it stands", () => {
    const acts = open({ device: BUMPED });
    press("Camera bumped", "Calibrate again");
    expect(acts).toHaveBeenCalledWith({
      do: "order",
      device: "overhead",
      order: "calibrate",
      reason: "BUMPED",
    });
  });

  it("take a picture of the spread deck, and say how it is laid out", () => {
    const acts = open({ device: { ...BUMPED, orders: ["spread", "stop_enrol"] } });
    expect(screen.getByText(/four rows/)).toBeTruthy();
    press("New deck", "Take picture");
    expect(acts).toHaveBeenCalledWith({
      do: "order",
      device: "overhead",
      order: "spread",
      reason: "NEW_DECK",
    });
  });

  it("take none while the table is not live", () => {
    open({ off: true });
    fireEvent.click(screen.getByRole("radio", { name: "Card stuck" }));
    expect(lock().disabled).toBe(true);
  });

  it("show who last ordered what, and how it went", () => {
    open();
    expect(screen.getByText(/S-02, Unlock: refused \(LID\)/)).toBeTruthy();
  });

  it("say why an order was refused", () => {
    open({ refusal: words("refused.ORDER_PENDING", { name: "shoe" }) });
    expect(screen.getByText(/has not answered the last order/)).toBeTruthy();
  });
});
