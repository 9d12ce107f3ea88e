// What was told wrongly is put right: by its number, with a reason, and nothing on the wire before Apply.
import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { minorUnits } from "../../src/i18n/minor-units";
import type { Subject } from "../../src/pit/entered/subject";
import { PutRight } from "../../src/pit/put-right";
import { SecondContext } from "../../src/pit/second-signs";
import type { Preview, RulingFacts, TableView } from "../../src/view";
import { card, hold, serve, show, tableView } from "../kit";

const seat = (number: number, changes = {}) => ({
  seat: number,
  stake: "25.00",
  insurance: "0.00",
  even_money: false,
  due: null,
  paid: null,
  how: null,
  ...changes,
});

const FACTS: RulingFacts = {
  seq: 7,
  first_round: 0,
  rounds: [
    {
      round: 1,
      closed: false,
      insurance: true,
      peek: false,
      turned: false,
      cards: [],
      boxes: [
        {
          box: 1,
          seats: [seat(0)],
          hands: [
            {
              hand: 1,
              decisions: [
                { nth: 1, action: "hit", known: "card" },
                { nth: 2, action: "stand", known: "inferred" },
              ],
            },
          ],
        },
        { box: 2, seats: [seat(0)], hands: [{ hand: 1, decisions: [] }] },
      ],
    },
    {
      round: 0,
      closed: true,
      insurance: false,
      peek: null,
      turned: true,
      cards: [{ box: 3, hand: 1, card: card(5, "9h") }],
      boxes: [{ box: 3, seats: [seat(0, { due: "50.00", paid: "40.00" })], hands: [] }],
    },
  ],
};

const PREVIEW: Preview = {
  seq: 7,
  problem: null,
  disputes: false,
  hands: [],
  stakes: [{ box: 1, seat: 0, before: "25.00", after: "50.00", change: "25.00" }],
  money: [],
  house_change: "0.00",
};

async function open(
  at: Partial<Subject>,
  view: TableView = tableView(),
  person: string | null = null,
  unanswered: string[] = [],
) {
  const sent = serve({ "/api/preview": () => Response.json(PREVIEW) });
  const served = fetch;
  const lost = [...unanswered];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const at = lost.findIndex((one) => path.startsWith(one));
    if (at >= 0) return Promise.reject(new TypeError(`no answer: ${lost.splice(at, 1)}`));
    return path.startsWith("/api/facts") ? Promise.resolve(Response.json(FACTS)) : served(path, init);
  });
  const onApply = vi.fn();
  const subject: Subject = { fact: "decision", box: 1, round: 1, ...at };
  show(
    <SecondContext.Provider value={{ needed: false, person, sign: vi.fn() }}>
      <PutRight at={subject} actor="S-02" view={view} off={false} onApply={onApply} onCancel={vi.fn()} />
    </SecondContext.Provider>,
  );
  await screen.findByRole("group", { name: "What was entered" });
  await waitFor(() => expect(screen.queryAllByRole("radio").length).toBeGreaterThan(4));
  return { sent, onApply };
}

const tap = (name: string): void => void fireEvent.click(screen.getByRole("radio", { name }));
const apply = (): HTMLButtonElement => screen.getByRole("button", { name: "Apply" });

async function signed(onApply: ReturnType<typeof vi.fn>): Promise<unknown> {
  await waitFor(() => expect(apply().disabled).toBe(false));
  fireEvent.click(apply());
  return onApply.mock.calls[0]?.[0];
}

it("asks again where the network lost what was entered and what it would change", async () => {
  const { onApply } = await open({}, tableView(), null, ["/api/facts", "/api/preview"]);
  tap("Never made");
  tap("Dealer error");
  expect(await signed(onApply)).toMatchObject({ obs: "amend", action: null });
});

describe("a decision", () => {
  it("that was the last one is put right in three taps after its hand's", async () => {
    const { sent, onApply } = await open({});
    tap("Never made");
    tap("Dealer error");
    expect(onApply).not.toHaveBeenCalled();
    expect(await signed(onApply)).toEqual({
      obs: "amend",
      what: "decision",
      box: 1,
      hand: 1,
      nth: 2,
      action: null,
      by: "S-02",
      reason: "DEALER_ERROR",
    });
    expect(sent.every((one) => one.path === "/api/preview")).toBe(true);
  });

  it("is chosen by its number, told, by a card or inferred", async () => {
    const { onApply } = await open({});
    tap("1. Card (by a card)");
    tap("Double");
    tap("Other");
    expect(await signed(onApply)).toMatchObject({ nth: 1, action: "double" });
  });
});

describe("other facts", () => {
  it("a stake shows what lies there before and after", async () => {
    const { onApply } = await open({ fact: "stake" });
    fireEvent.input(screen.getByLabelText(/The stake/), { target: { value: "50" } });
    tap("Other");
    await screen.findByText("Box 1: staked");
    expect(await signed(onApply)).toMatchObject({ what: "stake", box: 1, seat: 0, stake: 5000 });
  });

  it("an answer to insurance, the look, and swapped hands", async () => {
    const { onApply } = await open({ fact: "insurance" });
    tap("No insurance");
    tap("Other");
    expect(await signed(onApply)).toMatchObject({ what: "insurance", box: 1, seat: 0, stake: 0 });
  });

  it("two hands that changed places", async () => {
    const { onApply } = await open({ fact: "swap" });
    tap("Box 2, hand 1");
    tap("Other");
    expect(await signed(onApply)).toMatchObject({
      obs: "swap",
      from: { box: 1, hand: 1 },
      with: { box: 2, hand: 1 },
    });
  });

  it("the dealer's look was the opposite", async () => {
    const { onApply } = await open({ fact: "peek", box: 0 });
    tap("Other");
    expect(await signed(onApply)).toMatchObject({ what: "peek", blackjack: true });
  });

  it("a payout of the closed round begins with what is due and needs its reason", async () => {
    const { onApply } = await open({ fact: "paid", box: 3, round: 0 });
    expect(screen.getByText(/entered: 40/)).toBeTruthy();
    expect(apply().disabled).toBe(true);
    tap("Dealer error");
    expect(await signed(onApply)).toEqual({ obs: "paid", box: 3, seat: 0, amount: 5000, round: 0 });
    expect(onApply.mock.calls[0]?.[2]).toBe("DEALER_ERROR");
  });

  it("a payout that is told as it was puts nothing right", async () => {
    const { sent } = await open({ fact: "paid", box: 3, round: 0 });
    fireEvent.input(screen.getByLabelText(/Handed back/), { target: { value: "40" } });
    expect(screen.getByText("Choose what is true.")).toBeTruthy();
    const asked = sent.length;
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Apply" }).disabled).toBe(true);
    expect(sent.length).toBe(asked);
  });
});

describe("a hold", () => {
  it("leaves out what the house forbids for its box", async () => {
    const view = tableView({ holds: [hold("CARD_OWED", { ways: ["swap", "burn"], box: 1 })] });
    await open({}, view).catch(() => undefined);
    expect(screen.queryByRole("radio", { name: "Decision" })).toBeNull();
    expect(screen.getByRole("radio", { name: "Swapped hands" })).toBeTruthy();
  });

  const OF_TWO = tableView({ holds: [hold("CARD_OWED", { release: "two", ways: ["amend"], box: 1 })] });

  it("of two people asks for another one's id and PIN", async () => {
    await open({}, OF_TWO);
    tap("Never made");
    tap("Other");
    expect(screen.getByRole("region", { name: "Second person" })).toBeTruthy();
    expect(apply().disabled).toBe(true);
  });

  it("of two people is put right once the second one has signed", async () => {
    const { onApply } = await open({}, OF_TWO, "S-03");
    tap("Never made");
    tap("Other");
    expect(screen.getByText(/S-03/)).toBeTruthy();
    expect(await signed(onApply)).toMatchObject({ by: "S-02", reason: "OTHER" });
  });
});

describe("an amount", () => {
  it.each([
    ["25", 2500],
    ["22,5", 2250],
    ["0", 0],
    ["7.05", 705],
    ["", null],
    ["2.505", null],
    ["-3", null],
  ])("%s is %s in minor units", (typed, minor) => expect(minorUnits(typed)).toBe(minor));
});

it("a card of a closed round was another one, or lay elsewhere", async () => {
  const { onApply } = await open({ fact: "card", box: 3, round: 0 });
  fireEvent.click(screen.getByRole("button", { name: "K" }));
  tap("Misread by the reader");
  expect(await signed(onApply)).toMatchObject({ obs: "correct", card: 5, rank: "K", round: 0 });
  tap("Dealer");
  await waitFor(() => expect(apply().disabled).toBe(false));
  fireEvent.click(apply());
  expect(onApply.mock.calls[1]?.[0]).toMatchObject({ obs: "move", card: 5, to: "dealer", round: 0 });
});
