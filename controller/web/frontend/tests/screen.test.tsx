// The screen of a table as dealer and pit work it: presses that count, presses that do not, and what is sent.
import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { Screen } from "../src/screen";
import type { CommandBody, Prompt, TableView } from "../src/view";
import { box, emptyBox, hold, key, pad, prompt, serve, sessionView, show, tableView, words } from "./kit";

const bar = (keys: Prompt["bar"]["keys"], chips: string[] = []): Prompt["bar"] => ({
  keys,
  chips,
  info: null,
  info_note: null,
  settling: null,
});

const stand = key("STAND", {
  main: true,
  hotkeys: ["Enter", "s"],
  acts: [{ do: "observe", obs: { obs: "decision", box: 1, hand: 1, action: "stand" } }],
});
const stood = key("STAND", {
  ...stand,
  acts: [{ do: "observe", obs: { obs: "decision", box: 2, hand: 1, action: "stand" } }],
});
const callPit = key("CALL_PIT", { hotkeys: ["!"], acts: [{ do: "freeze", note: "" }] });

const BETTING = tableView({
  boxes: [1, 2, 3, 4, 5, 6, 7].map(emptyBox),
  dealer: { cards: [], total: null, outcome: null },
  stage: "1.bets",
  prompts: [
    prompt({
      line: words("line.PLACE_BETS"),
      box: null,
      hand: null,
      bar: bar([key("CLEAR", { hotkeys: ["c"], opens: "clear", acts: [] }), callPit], ["5.00", "25.00"]),
    }),
  ],
});

const playing = (keys = [stand, callPit], changes: Partial<TableView> = {}): TableView =>
  tableView({ prompts: [prompt({ bar: bar(keys) })], ...changes });

function open(view: TableView, given: { live?: boolean; refuse?: boolean } = {}) {
  const sent = serve({
    "/api/commands": () =>
      given.refuse
        ? Response.json({ code: "refused.NO_BETS", params: {} }, { status: 409 })
        : Response.json({ seq: view.seq + 1 }),
    "/api/session": () =>
      Response.json({ person: { id: "S-02", name: "S", role: "supervisor" }, grant: "", pin_old: false }),
  });
  const page = (now: TableView, live = given.live ?? true) => (
    <Screen
      view={now}
      live={live}
      session={sessionView()}
      home={{ actor: "D-1", role: "dealer", grant: null }}
      onLanguage={vi.fn()}
      onSession={vi.fn()}
    />
  );
  const shown = show(page(view));
  const acts = (): CommandBody["act"][] =>
    sent.filter((one) => one.path === "/api/commands").map((one) => (one.body as CommandBody).act);
  return { sent, acts, update: (now: TableView, live?: boolean) => shown.again(page(now, live)) };
}

const type = (name: string): void => void fireEvent.keyDown(document.body, { key: name });
/** Time enough for a request that should not come. */
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 20));
/** Sets the page's clock; it stands still from then on. */
const at = (ms: number): void => void vi.spyOn(performance, "now").mockReturnValue(ms);

describe("a key of the dealer", () => {
  it("sends its act on the table that the dealer sees", async () => {
    const { sent } = open(playing());
    type("s");
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.body).toMatchObject({
      expected_seq: 7,
      actor: "D-1",
      role: "dealer",
      act: stand.acts[0],
    });
  });

  it("counts once when it is pressed twice in a quarter of a second", async () => {
    const { acts } = open(playing());
    at(1000);
    type("s");
    at(1240);
    type("s");
    await settled();
    expect(acts()).toHaveLength(1);
    at(1260);
    type("s");
    await waitFor(() => expect(acts()).toHaveLength(2));
  });

  it("rests when it has just changed its meaning, and then works", async () => {
    at(1000);
    const { acts, update } = open(playing());
    update(playing([stood, callPit], { seq: 8 }));
    at(1340);
    type("s");
    await settled();
    expect(acts()).toEqual([]);
    at(1360);
    type("s");
    await waitFor(() => expect(acts()).toEqual(stood.acts));
  });

  it("does nothing while the table is not live", async () => {
    const { acts, update } = open(playing());
    update(playing(), false);
    type("s");
    type("!");
    fireEvent.click(screen.getByRole("button", { name: /^Stand/ }));
    await settled();
    expect(acts()).toEqual([]);
  });

  it("says why it was refused", async () => {
    open(playing(), { refuse: true });
    type("s");
    await waitFor(() => expect(screen.getByRole("log").textContent).toBe("There is no bet yet."));
  });

  it("leads on from a line that only tells", () => {
    const next = key("NEXT", { main: true, hotkeys: ["Enter"], opens: "next", acts: [] });
    const prompts = [
      prompt({ line: words("line.STAND", { total: "17" }), bar: bar([next, callPit]) }),
      prompt({ line: words("line.PAY", { box: 1, amount: { money: "25.00" } }), tone: "pay" }),
    ];
    const { acts, update } = open(tableView({ prompts, stage: "1.settle" }));
    const line = (): string => screen.getByRole("heading", { level: 1 }).textContent;
    expect(line()).toBe("STAND – 17");
    type("Enter");
    expect(line()).toBe("PAY BOX 1: 25.00");
    expect(acts()).toEqual([]);
    update(tableView({ prompts, stage: "2.settle" }));
    expect(line(), "another stage begins anew").toBe("STAND – 17");
  });
});

describe("while bets are open", () => {
  const chip = (value: string): HTMLElement => screen.getByRole("button", { name: `Chip of ${value}` });

  it("chips go to the box that was pressed, and Backspace takes the last one back", async () => {
    const { acts } = open(BETTING);
    type("3");
    fireEvent.click(chip("5"));
    fireEvent.click(chip("25"));
    type("Backspace");
    await waitFor(() => expect(acts()).toHaveLength(3));
    expect(acts()).toEqual([
      { do: "chip", box: 3, seat: 0, chip: "5.00", off: false },
      { do: "chip", box: 3, seat: 0, chip: "25.00", off: false },
      { do: "chip", box: 3, seat: 0, chip: "25.00", off: true },
    ]);
  });

  it("those who bet behind are chosen from a list, and a further press on the box moves nothing", async () => {
    const seats = [{ seat: 0, stake: "5.00", chips: [], insurance: null, short: null }];
    const boxes = BETTING.boxes.map((box) => (box.box === 2 ? { ...box, stake: "5.00", seats } : box));
    const { acts } = open({ ...BETTING, boxes });
    type("2");
    const list = screen.getByRole("group", { name: "Who bets on box 2" });
    expect([...list.querySelectorAll("button")].map((seat) => seat.textContent)).toEqual([
      "Holder5.00",
      "Behind 1–",
    ]);
    fireEvent.click(screen.getByRole("button", { name: /^Behind 1/ }));
    fireEvent.click(chip("5"));
    await waitFor(() => expect(acts()).toHaveLength(1));
    fireEvent.click(screen.getByRole("button", { name: /^Holder/ }));
    fireEvent.click(chip("25"));
    await waitFor(() => expect(acts()).toHaveLength(2));
    expect(acts().map((one) => one.do === "chip" && [one.seat, one.chip])).toEqual([
      [1, "5.00"],
      [0, "25.00"],
    ]);
  });

  it("a chip without a box is taken in hand: each box that is pressed gets one, until it is put back", async () => {
    const { acts } = open(BETTING);
    fireEvent.click(chip("5"));
    await settled();
    expect(acts()).toEqual([]);
    for (const name of [/^Box 2/, /^Box 6/, /^Box 2/]) fireEvent.click(screen.getByRole("button", { name }));
    await waitFor(() => expect(acts()).toHaveLength(3));
    expect(acts().map((one) => one.do === "chip" && [one.box, one.chip])).toEqual([
      [2, "5.00"],
      [6, "5.00"],
      [2, "5.00"],
    ]);
    fireEvent.click(chip("5"));
    fireEvent.click(screen.getByRole("button", { name: /^Box 3/ }));
    await settled();
    expect(acts()).toHaveLength(3);
    expect(screen.getByText(/BOX 3 – tap the chips/)).toBeTruthy();
  });

  it("a tap that was meant for what stood there before lays nothing and says so", async () => {
    at(1000);
    const { acts, update } = open(playing());
    update(BETTING);
    at(1300);
    fireEvent.click(chip("5"));
    fireEvent.click(screen.getByRole("button", { name: /^Box 3/ }));
    expect(screen.getByRole("log").textContent).toBe("too soon after the change");
    at(1400);
    fireEvent.click(chip("5"));
    fireEvent.click(screen.getByRole("button", { name: /^Box 3/ }));
    await waitFor(() => expect(acts()).toEqual([{ do: "chip", box: 3, seat: 0, chip: "5.00", off: false }]));
  });

  it("Enter never lays a chip, whatever has the focus", async () => {
    const close = key("CLOSE", {
      main: true,
      hotkeys: ["Enter"],
      acts: [{ do: "observe", obs: { obs: "close" } }],
    });
    const bets = BETTING.prompts[0] ?? prompt();
    const { acts } = open({
      ...BETTING,
      prompts: [{ ...bets, bar: { ...bets.bar, keys: [close, callPit] } }],
    });
    type("2");
    chip("5").focus();
    const sent = !fireEvent.keyDown(chip("5"), { key: "Enter" });
    expect(sent, "the browser presses nothing by itself").toBe(true);
    await waitFor(() => expect(acts()).toEqual([{ do: "observe", obs: { obs: "close" } }]));
  });

  it("chips have letters, and what does nothing says why", async () => {
    const { acts } = open(BETTING);
    type("c");
    expect(screen.getByRole("log").textContent).toBe("Tap a box first.");
    type("Backspace");
    expect(screen.getByRole("log").textContent).toBe("No chip of this screen is left to take back.");
    type("5");
    type("g");
    await waitFor(() => expect(acts()).toEqual([{ do: "chip", box: 5, seat: 0, chip: "25.00", off: false }]));
  });

  it("a box repeats its bets of the round before, and one that had none says so", async () => {
    const again = { do: "observe", obs: { obs: "bet", box: 2, seat: 0, stake: 500 } } as const;
    const boxes = BETTING.boxes.map((box) => (box.box === 2 ? { ...box, repeat: [again] } : box));
    const bets = BETTING.prompts[0] ?? prompt();
    const repeat = key("REPEAT_BOX", { hotkeys: ["x"], opens: "repeat", acts: [] });
    const { acts } = open({
      ...BETTING,
      boxes,
      prompts: [{ ...bets, bar: { ...bets.bar, keys: [repeat, callPit] } }],
    });
    type("x");
    type("2");
    await waitFor(() => expect(acts()).toEqual([again]));
    type("3");
    await settled();
    expect(acts()).toHaveLength(1);
    expect(screen.getByRole("log").textContent).toBe("Box 3 did not bet last round.");
  });

  it("stakes are typed box after box", async () => {
    const bets = BETTING.prompts[0] ?? prompt();
    const amount = key("AMOUNT", { hotkeys: ["t"], opens: "amount", acts: [] });
    const { acts } = open({
      ...BETTING,
      prompts: [{ ...bets, amount_for: "stake", bar: { ...bets.bar, keys: [amount, callPit] } }],
    });
    type("t");
    expect(screen.getByRole("dialog", { name: "Box 1: stake?" })).toBeTruthy();
    for (const name of ["2", "5", "Enter", "Enter", "ArrowRight", "7", ".", "5", "Enter"]) type(name);
    await waitFor(() => expect(acts()).toHaveLength(2));
    expect(acts()).toEqual([
      { do: "stake", box: 1, seat: 0, amount: "25" },
      { do: "stake", box: 3, seat: 0, amount: "7.5" },
    ]);
    type("Escape");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("what was paid is typed for the bettor whom the line names, and the pad goes with the round", async () => {
    const given = key("GIVEN", { main: true, hotkeys: ["Enter"], opens: "amount", acts: [] });
    const pay = (at: number) =>
      prompt({
        line: words("line.PAY", { box: at, amount: { money: "25.00" } }),
        box: at,
        amount_for: "given",
        bar: bar([given, callPit]),
      });
    const owed = (at: number) => box(at, { moves: [{ verb: "pay", seat: 0, amount: "25.00" }] });
    const { acts, update } = open(tableView({ boxes: [owed(2), owed(5)], prompts: [pay(5)] }));
    type("Enter");
    expect(screen.getByRole("dialog", { name: "Box 5: amount paid?" })).toBeTruthy();
    for (const name of ["2", "5", "Enter"]) type(name);
    await waitFor(() => expect(acts()).toEqual([{ do: "given", box: 5, seat: 0, amount: "25" }]));
    update(tableView({ boxes: [owed(2), box(5)], prompts: [pay(2)] }));
    expect(screen.getByRole("dialog", { name: "Box 2: amount paid?" })).toBeTruthy();
    update(tableView({ prompts: [{ ...(BETTING.prompts[0] ?? prompt()), amount_for: "stake" }] }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("Clear empties the box that was pressed", async () => {
    const { acts } = open(BETTING);
    type("4");
    type("c");
    await waitFor(() => expect(acts()).toEqual([{ do: "clear", box: 4 }]));
  });
});

describe("an unread card", () => {
  const asking = tableView({
    prompts: [prompt({ line: words("line.WHICH_CARD"), pad: pad(), pad_opens: true, bar: bar([callPit]) })],
  });

  it("is named by a key of the keyboard, 0 for the ten", async () => {
    const { acts } = open(asking);
    type("0");
    await waitFor(() =>
      expect(acts()).toEqual([
        { do: "observe", obs: { obs: "correct", card: 4, by: "dealer", reason: "UNREAD", rank: "10" } },
      ]),
    );
  });

  it("is asked about beside the table: no rank has the focus, and Escape does not close it", () => {
    open(asking);
    const sheet = screen.getByRole("dialog", { name: "Tap the rank you see" });
    expect(document.activeElement).toBe(sheet);
    expect(sheet.hasAttribute("aria-modal")).toBe(false);
    type("Escape");
    expect(screen.getByRole("dialog")).toBe(sheet);
  });

  it("opens its pad on a key where the line does not, and Escape closes it", () => {
    const rank = key("RANK", { hotkeys: ["m"], opens: "pad", acts: [] });
    open(
      tableView({
        prompts: [prompt({ pad: pad({ title: words("ui.pad_hole") }), bar: bar([rank, callPit]) })],
      }),
    );
    expect(screen.queryByRole("dialog")).toBeNull();
    type("m");
    expect(screen.getByRole("dialog", { name: "Tap the rank of the turned card" })).toBeTruthy();
    type("Escape");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("may carry a guess, which is marked and named as one and chooses nothing", () => {
    const guessed = pad({ guesses: [["3", 72]] });
    open(tableView({ prompts: [prompt({ line: words("line.WHICH_CARD"), pad: guessed, pad_opens: true })] }));
    const three = screen.getByRole("button", { name: "3, 72 per cent: the camera's guess" });
    expect(three.textContent).toBe("3? 72 %");
    expect(three.hasAttribute("aria-pressed")).toBe(false);
  });
});

describe("the pit at this screen", () => {
  async function signedIn(view: TableView) {
    const page = open(view);
    fireEvent.click(screen.getByRole("button", { name: /^Pit/ }));
    fireEvent.input(screen.getByLabelText("Name or number"), { target: { value: "S-02" } });
    fireEvent.click(screen.getByRole("button", { name: "Stay signed in" }));
    await screen.findByRole("button", { name: "Void round" });
    return page;
  }

  it("acts under its own name", async () => {
    const frozen = hold("FROZEN", { by: "D-1" });
    const { sent } = await signedIn(playing(undefined, { holds: [frozen] }));
    fireEvent.click(screen.getByRole("button", { name: "Go on" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.body).toMatchObject({
      actor: "S-02",
      role: "pit",
      grant: null,
      act: { do: "resume" },
    });
  });

  it("has the dealer wait while a card is corrected, and no longer", async () => {
    const { acts } = await signedIn(playing());
    fireEvent.click(screen.getByRole("button", { name: /card 2, 6 of Spades/ }));
    await waitFor(() => expect(acts()).toEqual([{ do: "editing", on: true, card: 3 }]));
    fireEvent.click(screen.getByRole("button", { name: /^Cancel/ }));
    await waitFor(() => expect(acts().at(-1)).toEqual({ do: "editing", on: false, card: null }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("enters cards by hand with the keys that the pad names, but not through an open dialog", async () => {
    const { acts } = await signedIn(playing());
    fireEvent.click(screen.getByRole("button", { name: "Cards by hand" }));
    type("k");
    await waitFor(() => expect(acts()).toHaveLength(1));
    expect(acts()[0]).toMatchObject({ do: "observe", obs: { rank: "K" } });
    fireEvent.click(screen.getByRole("button", { name: "Void round" }));
    type("q");
    await settled();
    expect(acts()).toHaveLength(1);
  });

  it("is told inside the dialog why a ruling was refused, for nobody hears what lies behind it", async () => {
    await signedIn(playing());
    fireEvent.click(screen.getByRole("button", { name: "Void round" }));
    fireEvent.click(screen.getByRole("radio", { name: "Other" }));
    const refusal = { code: "refused.NOTHING_TO_VOID", params: {} };
    serve({ "/api/commands": () => Response.json(refusal, { status: 409 }) });
    fireEvent.click(screen.getByRole("button", { name: "Apply" }));
    const said = await screen.findByText("Nothing lies on the table that could be void.");
    expect(said.closest("dialog")).toBe(screen.getByRole("dialog"));
  });

  it("does not press the dealer's keys", async () => {
    const { acts } = await signedIn(playing());
    type("s");
    await settled();
    expect(acts()).toEqual([]);
  });
});
