// The drawn table: what can be pressed on it, what it is called, and what must never be in it.
import { fireEvent, render, screen } from "@testing-library/preact";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Table } from "../../src/felt/table";
import { I18nContext, type Language } from "../../src/i18n/i18n";
import type { TableView } from "../../src/view";
import { box, card, hand, i18nOf, prompt, show, tableView } from "../kit";

interface Given {
  onBox?: (box: number) => void;
  onCard?: (card: number) => void;
}

function showTable(view: TableView, { onBox, onCard }: Given = {}) {
  return show(
    <Table view={view} prompt={prompt()} selected={null} lays={false} onBox={onBox} onCard={onCard} />,
  );
}

describe("a stake", () => {
  const discs = (chips: [string, number][]): number => {
    const { container } = showTable(tableView({ boxes: [box(1, { stake: "40.00", chips })] }));
    const drawn = container.querySelectorAll("[data-box='1'] .chip > g").length;
    document.body.replaceChildren();
    return drawn;
  };

  it("is drawn in the chips that lie there, the uppermost named", () => {
    const { container } = showTable(
      tableView({
        boxes: [
          box(1, {
            stake: "40.00",
            chips: [
              ["25.00", 1],
              ["5.00", 3],
            ],
          }),
        ],
      }),
    );
    const stack = container.querySelector("[data-box='1'] .chip");
    const faces = [...(stack?.querySelectorAll("g") ?? [])].map((disc) =>
      disc.querySelector("circle")?.getAttribute("fill"),
    );
    expect(faces).toEqual(["#3f9b6c", "#c8553d", "#c8553d", "#c8553d"]);
    expect(stack?.querySelector("text")?.textContent).toBe("5");
  });

  it("of many chips is drawn in few discs, none of its kinds missing", () => {
    // A tower of six covered the total beside it.
    expect(discs([["5.00", 8]])).toBe(5);
    expect(
      discs([
        ["25.00", 20],
        ["5.00", 1],
      ]),
    ).toBe(5);
  });
});

describe("a table that changes", () => {
  const drawn = (view: TableView, language: Language, onBox: (box: number) => void) => (
    <I18nContext.Provider value={i18nOf(language)}>
      <Table view={view} prompt={prompt()} selected={null} lays={false} onBox={onBox} onCard={undefined} />
    </I18nContext.Provider>
  );
  const view = tableView({ boxes: [box(1), ...tableView().boxes.slice(1)] });

  it("draws a new stake beside boxes that are as they were", () => {
    const { container, rerender } = render(drawn(view, "en", vi.fn()));
    const boxes = view.boxes.map((row) => (row.box === 2 ? box(2, { stake: "10.00" }) : row));
    rerender(drawn({ ...view, boxes }, "en", vi.fn()));
    const names = screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"));
    expect(names.slice(0, 3)).toEqual(["Box 1, stake 25.00.", "Box 2, stake 25.00.", "Box 3, no stake."]);
    expect(container.querySelectorAll("[data-box] .chip")).toHaveLength(2);
  });

  it("speaks another language in every box, drawn anew or not", () => {
    const { rerender } = render(drawn(view, "en", vi.fn()));
    rerender(drawn(view, "de", vi.fn()));
    const names = screen.getAllByRole("button").map((button) => button.getAttribute("aria-label") ?? "");
    expect(names).toHaveLength(7);
    expect(names.filter((name) => name.includes("stake"))).toEqual([]);
  });

  it("does what a press means now, though the box was drawn before", () => {
    const [before, now] = [vi.fn(), vi.fn()];
    const { rerender } = render(drawn(view, "en", before));
    rerender(drawn(view, "en", now));
    fireEvent.click(screen.getByRole("button", { name: /^Box 3/ }));
    expect(before).not.toHaveBeenCalled();
    expect(now).toHaveBeenCalledWith(3);
  });
});

describe("chips", () => {
  it("that the dealer has taken lie there no more, and what was paid has a tick", () => {
    const won = box(1, { handled: true, paid: "confirmed" });
    const lost = box(2, { handled: true, paid: "confirmed", seats: [], chips: [] });
    const { container } = showTable(tableView({ boxes: [won, lost, ...tableView().boxes.slice(2)] }));
    expect(container.querySelectorAll("[data-box='1'] .chip, [data-box='2'] .chip")).toHaveLength(1);
    for (const number of [1, 2])
      expect(container.querySelector(`[data-box='${number}']`)?.textContent).toContain("✓");
  });
});

describe("while bets are open", () => {
  it("each circle is a button that says what lies in it", () => {
    const view = tableView({ boxes: [box(1), ...tableView().boxes.slice(1)] });
    showTable(view, { onBox: vi.fn() });
    const names = screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"));
    expect(names).toHaveLength(7);
    expect(names.slice(0, 2)).toEqual(["Box 1, stake 25.00.", "Box 2, no stake."]);
  });

  it("a circle is pressed by tap, Enter and Space, and by no other key", async () => {
    const onBox = vi.fn();
    showTable(tableView(), { onBox });
    const circle = screen.getByRole("button", { name: /^Box 3/ });
    fireEvent.click(circle);
    circle.focus();
    const user = userEvent.setup();
    await user.keyboard("{Enter}");
    await user.keyboard(" ");
    await user.keyboard("x");
    expect(onBox.mock.calls).toEqual([[3], [3], [3]]);
  });

  it("a key that is held down presses once", () => {
    const onBox = vi.fn();
    showTable(tableView(), { onBox });
    const circle = screen.getByRole("button", { name: /^Box 3/ });
    fireEvent.keyDown(circle, { key: "Enter" });
    fireEvent.keyDown(circle, { key: "Enter", repeat: true });
    expect(onBox).toHaveBeenCalledTimes(1);
  });
});

describe("for the pit", () => {
  it("each open card is a button with its place, and the hidden one is none", () => {
    showTable(tableView({ aside: [card(9, "5d")] }), { onCard: vi.fn() });
    const names = screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"));
    expect(names).toEqual([
      "Box 1, card 1, 10 of Hearts",
      "Box 1, card 2, 6 of Spades",
      "Card put apart, 5 of Diamonds",
      "Dealer, card 1, 6 of Clubs",
    ]);
  });

  it("a card is pressed by tap, Enter and Space", async () => {
    const onCard = vi.fn();
    showTable(tableView(), { onCard });
    const six = screen.getByRole("button", { name: /6 of Spades/ });
    fireEvent.click(six);
    six.focus();
    await userEvent.setup().keyboard("{Enter} ");
    expect(onCard.mock.calls).toEqual([[3], [3], [3]]);
  });
});

describe("for the dealer during play", () => {
  it("a box is one sentence and nothing can be pressed", () => {
    showTable(tableView());
    expect(screen.queryAllByRole("button")).toEqual([]);
    expect(
      screen.getByRole("img", { name: "Box 1, stake 25.00. 10 of Hearts, 6 of Spades: 16." }),
    ).toBeTruthy();
    expect(screen.getByRole("img", { name: "Dealer. 6 of Clubs, face-down card: 6." })).toBeTruthy();
  });
});

describe("the face-down card", () => {
  it("is drawn as a back, with no rank anywhere", () => {
    const { container } = showTable(tableView(), { onCard: vi.fn() });
    expect(container.querySelectorAll("[data-hidden]")).toHaveLength(1);
    const ranks = [...container.querySelectorAll(".rank")].map((rank) => rank.textContent);
    expect(ranks.sort()).toEqual(["10", "6", "6"]);
  });
});

describe("results", () => {
  it("are sign and total, each with its own look", () => {
    const outcomes = [
      ["win", "WIN 16", "pay"],
      ["push", "PUSH 16", "push"],
      ["lose", "LOSE 16", "take"],
    ] as const;
    const boxes = outcomes.map(([outcome], index) =>
      box(index + 1, { hands: [hand([card(index + 1, "10h")], { outcome })] }),
    );
    const { container } = showTable(tableView({ boxes }));
    const pills = [...container.querySelectorAll(".hand .pill")];
    expect(pills.map((pill) => pill.textContent)).toEqual(outcomes.map(([, text]) => text));
    expect(pills.map((pill) => pill.getAttribute("class"))).toEqual(
      outcomes.map(([, , look]) => `pill ${look}`),
    );
  });

  it("say what is still to be moved at a box of a settled round", () => {
    const moves = [
      { verb: "take", seat: 0, amount: "10.00" },
      { verb: "pay", seat: 0, amount: "22.50" },
    ] as const;
    const { container } = showTable(tableView({ boxes: [box(1, { moves: [...moves] })] }));
    const told = [...container.querySelectorAll(".box .pill")].map((pill) => pill.textContent);
    expect(told).toContain("−10.00 +22.50");
  });

  it("add up in the decimals of their currency", () => {
    const moves = [
      { verb: "pay", seat: 0, amount: "4000" },
      { verb: "pay", seat: 1, amount: "1500" },
    ] as const;
    const { container } = showTable(tableView({ boxes: [box(1, { moves: [...moves] })] }));
    const told = [...container.querySelectorAll(".box .pill")].map((pill) => pill.textContent);
    expect(told).toContain("+5,500");
  });

  it("of a stake that is none yet are marked", () => {
    const seats = [
      { seat: 0, stake: "2.50", chips: [], insurance: null, short: { code: "why.NOT_NOW", params: {} } },
    ];
    const { container } = showTable(tableView({ boxes: [box(1, { seats })] }));
    expect(container.querySelector(".box .pill")?.textContent).toBe("! 2.50");
  });
});
