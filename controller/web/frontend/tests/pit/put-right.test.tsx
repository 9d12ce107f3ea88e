// What was told wrongly is put right: by its number, with a reason, and nothing on the wire before Apply.
import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { minorUnits } from "../../src/i18n/i18n";
import { PutRight } from "../../src/pit/put-right";
import { SecondContext } from "../../src/pit/ruling";
import type { Subject } from "../../src/pit/ways";
import type { Commands } from "../../src/shared/use-commands";
import type { Preview, RulingFacts, TableView } from "../../src/view";
import { box, card, emptyBox, hand, hold, i18nOf, preview, serve, show, tableView, words } from "../kit";

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
      laid: null,
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
      laid: {
        boxes: [1, 2, 3, 4, 5, 6, 7].map((number) =>
          number === 3 ? box(3, { hands: [hand([card(5, "9h")])] }) : emptyBox(number),
        ),
        dealer: { cards: [card(2, "6c")], total: "6", outcome: null },
        aside: [],
      },
      boxes: [{ box: 3, seats: [seat(0, { due: "50.00", paid: "40.00" })], hands: [] }],
    },
  ],
};

const PREVIEW = preview({
  stakes: [{ box: 1, seat: 0, before: "25.00", after: "50.00", change: "25.00" }],
});

const COMMANDS: Commands = {
  person: { actor: "S-02", role: "pit", grant: null },
  setPerson: vi.fn(),
  setSecond: vi.fn(),
  sent: null,
  refusal: null,
  run: vi.fn(),
  quietly: vi.fn(() => Promise.resolve()),
  refuse: vi.fn(),
  callPit: vi.fn(),
};

async function open(
  at: Partial<Subject>,
  view: TableView = tableView(),
  person: string | null = null,
  unanswered: string[] = [],
  shown: Partial<Preview> = PREVIEW,
) {
  const sent = serve({ "/api/preview": () => Response.json(preview({ seq: view.seq, ...shown })) });
  const served = fetch;
  const lost = [...unanswered];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const at = lost.findIndex((one) => path.startsWith(one));
    if (at >= 0) return Promise.reject(new TypeError(`no answer: ${lost.splice(at, 1)}`));
    if (path.includes("/pictures")) return Promise.resolve(Response.json({ pictures: [], none: "off" }));
    return path.startsWith("/api/facts") ? Promise.resolve(Response.json(FACTS)) : served(path, init);
  });
  const onApply = vi.fn();
  const subject: Subject = { fact: "decision", box: 1, round: 1, ...at };
  const onCancel = vi.fn();
  const page = (table: TableView, off = false) => (
    <SecondContext.Provider value={{ needed: false, person, sign: vi.fn() }}>
      <PutRight
        at={subject}
        actor="S-02"
        view={table}
        off={off}
        commands={COMMANDS}
        onApply={onApply}
        onOpen={vi.fn()}
        onCancel={onCancel}
      />
    </SecondContext.Provider>
  );
  const { again } = show(page(view));
  const update = (table: TableView, off = false): void => {
    serve({ "/api/preview": () => Response.json(preview({ ...shown, seq: table.seq })) });
    const previews = fetch;
    vi.stubGlobal("fetch", (path: string, init: RequestInit) =>
      path.startsWith("/api/facts") ? Promise.resolve(Response.json(FACTS)) : previews(path, init),
    );
    again(page(table, off));
  };
  await screen.findByRole("group", { name: "What was entered" });
  await waitFor(() => expect(screen.queryAllByRole("radio").length).toBeGreaterThan(4));
  return { sent, onApply, onCancel, update };
}

const tap = (name: string): void => void fireEvent.click(screen.getByRole("radio", { name }));
const apply = (): HTMLButtonElement => screen.getByRole("button", { name: /^Apply/ });

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

  it("keeps the focus in its field as the preview asks for a second person", async () => {
    await open({ fact: "stake" }, tableView(), null, [], { ...PREVIEW, second: true });
    const field = screen.getByLabelText(/The stake/);
    field.focus();
    fireEvent.input(field, { target: { value: "5" } });
    await screen.findByRole("region", { name: "Second person" });
    // What a form does as it comes, it does after it is drawn.
    await new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 100));
    expect(document.activeElement).toBe(field);
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
    expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Apply/ }).disabled).toBe(true);
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

const money = (amount: string) => ({ money: amount });

const WINS = {
  hands: [
    {
      box: 1,
      hand: 1,
      before: [card(1, "10h"), card(3, "6s")],
      total_before: "16",
      outcome_before: "lose" as const,
      after: [card(1, "10h"), card(3, "9s")],
      total_after: "19",
      outcome_after: "win" as const,
    },
  ],
  stakes: [],
  money: [
    { box: 1, seat: 0, before: money("-25.00"), after: money("+25.00"), change: money("+50.00"), owed: null },
  ],
  untouched: { boxes: [2, 3], sum: money("+5.00") },
  house: [{ text: words("ui.house_round"), before: money("+20.00"), after: money("-30.00") }],
  house_change: money("-50.00"),
  chips: money("-50.00"),
};

const onCard = (view?: TableView, shown: Partial<Preview> = WINS) =>
  open({ fact: "card", card: 3 }, view, null, [], shown);
const choose = (rank: string): void => void fireEvent.click(screen.getByRole("button", { name: rank }));

describe("a card", () => {
  it("is another one by rank and suit, with its figures and its own key", async () => {
    const { sent, onApply } = await onCard();
    choose("9");
    tap("Misread by the reader");
    await waitFor(() => expect(apply().disabled).toBe(false));
    expect(apply().textContent).toBe("Apply: 9♠, pay 50.00");
    expect(document.querySelector("[data-said]")?.textContent).toBe("6♠ → 9♠, Box 1");
    expect(screen.getAllByRole("row").map((row) => row.textContent)).toEqual([
      "BeforeAfterChange",
      "Box 1, hand 110♥ 6♠ LOSE 16 → 10♥ 9♠ WIN 19",
      "To box 1−25.00+25.00+50.00",
      "Unchanged: boxes 2 3+5.00+5.00",
      "House, this round+20.00−30.00−50.00",
    ]);
    expect(sent.map((one) => one.path)).toEqual(["/api/preview"]);
    fireEvent.click(screen.getByRole("button", { name: "Hearts" }));
    await waitFor(() => expect(apply().disabled).toBe(false));
    fireEvent.click(apply());
    expect(onApply.mock.calls[0]?.slice(0, 2)).toEqual([
      { obs: "correct", card: 3, rank: "9", suit: "h", by: "S-02", reason: "MISREAD" },
      7,
    ]);
  });

  it("says what is missing, and never shows the figures of another choice", async () => {
    await onCard();
    expect(apply().textContent).toBe("Apply: what is true is missing");
    choose("9");
    await screen.findByText("+50.00");
    expect(apply().textContent).toBe("Apply: the reason is missing");
    choose("8");
    expect(screen.queryByText("+50.00")).toBeNull();
    choose("6");
    expect(apply().textContent, "the recorded card corrects nothing").toBe("Apply: what is true is missing");
  });

  it("that the rules refuse says why; one that leads to a dispute can be applied", async () => {
    const { update } = await onCard(undefined, { problem: words("refused.NO_SUCH_CARD") });
    choose("9");
    tap("Other");
    await screen.findByText(i18nOf("en").text("refused.NO_SUCH_CARD"));
    expect(apply().disabled).toBe(true);
    update(tableView(), true);
    expect(apply().disabled).toBe(true);
  });

  it("is none of the round, or lies in another hand", async () => {
    const { onApply } = await onCard();
    fireEvent.click(screen.getByRole("button", { name: "No card here…" }));
    tap("Dealer");
    tap("Other");
    expect(await signed(onApply)).toMatchObject({ obs: "move", card: 3, to: "dealer" });
    tap("Not of this round");
    await waitFor(() => expect(apply().disabled).toBe(false));
    fireEvent.click(apply());
    expect(onApply.mock.calls[1]?.[0]).toMatchObject({ obs: "strike", card: 3, burn: true });
  });

  it("of the running round alone has the dealer wait", async () => {
    const quietly = vi.spyOn(COMMANDS, "quietly");
    await onCard();
    expect(quietly).toHaveBeenCalledWith([{ do: "editing", on: true, card: 3 }]);
    quietly.mockClear();
    fireEvent.click(document.querySelector("[data-box='1'] .tap") as Element);
    await waitFor(() =>
      expect(quietly).toHaveBeenCalledExactlyOnceWith([{ do: "editing", on: false, card: null }]),
    );
  });

  it("of a closed round was another one", async () => {
    const { onApply } = await open({ fact: "card", card: 5, box: 3, round: 0 });
    choose("K");
    tap("Misread by the reader");
    expect(await signed(onApply)).toMatchObject({ obs: "correct", card: 5, rank: "K", suit: "h", round: 0 });
  });

  it("is signed again where the table has moved meanwhile", async () => {
    const { update, onApply } = await onCard();
    choose("9");
    tap("Misread by the reader");
    await waitFor(() => expect(apply().disabled).toBe(false));
    const cards = [card(1, "10h"), card(3, "6s"), card(5, "2c")];
    const boxes = tableView().boxes.map((one) =>
      one.box === 1 ? { ...one, hands: [hand(cards, { total: "18" })] } : one,
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

it("is left by Cancel and by Escape", async () => {
  const { onCancel } = await open({});
  fireEvent.click(screen.getByRole("button", { name: /^Cancel/ }));
  screen.getByRole("dialog").dispatchEvent(new Event("cancel"));
  expect(onCancel).toHaveBeenCalledTimes(2);
});
