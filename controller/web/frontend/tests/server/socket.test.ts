// The socket of a screen: a view is shown as live only as long as the table is heard.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveTable, TableSocket } from "../../src/server/live";
import { tableView } from "../kit";

/** The far end of each socket that the page opens. */
class FarEnd {
  static readonly OPEN = 1;
  static opened: FarEnd[] = [];
  readonly readyState = FarEnd.OPEN;
  readonly heard: string[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    FarEnd.opened.push(this);
  }

  send(text: string): void {
    this.heard.push(text);
  }

  close(): void {
    this.onclose?.();
  }

  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const last = (): FarEnd => {
  const far = FarEnd.opened.at(-1);
  if (!far) throw new Error("no socket was opened");
  return far;
};

let shown: LiveTable[] = [];
const now = (): LiveTable | undefined => shown.at(-1);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FarEnd);
  FarEnd.opened = [];
  shown = [];
  new TableSocket((table) => shown.push(table));
});

const view = tableView({ seq: 7 });

describe("a screen's socket", () => {
  it("shows what it gets and calls it live", () => {
    expect(last().url).toMatch(/^ws:.*\/ws\?changes=true$/);
    last().say({ type: "snapshot", seq: 7, view });
    expect(now()).toMatchObject({ live: true, view: { seq: 7 } });
  });

  it("stays live while the heart beats", () => {
    last().say({ type: "snapshot", seq: 7, view });
    for (let second = 0; second < 10; second += 1) {
      vi.advanceTimersByTime(1000);
      last().say({ type: "beat", seq: 7 });
    }
    expect(now()?.live).toBe(true);
  });

  it("is not live after two and a half seconds of silence, and opens anew", () => {
    last().say({ type: "snapshot", seq: 7, view });
    vi.advanceTimersByTime(2400);
    expect(now()?.live).toBe(true);
    vi.advanceTimersByTime(400);
    expect(now()).toMatchObject({ live: false, view: { seq: 7 } });
    vi.advanceTimersByTime(300);
    expect(FarEnd.opened).toHaveLength(2);
    last().say({ type: "beat", seq: 7 });
    expect(now()?.live, "a beat alone shows nothing new").toBe(false);
    last().say({ type: "snapshot", seq: 8, view: tableView({ seq: 8 }) });
    expect(now()).toMatchObject({ live: true, view: { seq: 8 } });
  });

  it("puts what has changed into the view that it has, and leaves the rest as it is", () => {
    last().say({ type: "snapshot", seq: 7, view });
    const before = now()?.view;
    last().say({
      type: "changes",
      seq: 8,
      fields: { seq: 8, staked: "35.00" },
      boxes: { 3: { stake: "25.00" } },
    });
    const after = now()?.view;
    expect(after).toMatchObject({ seq: 8, staked: "35.00", round: view.round });
    expect(after?.boxes.map((row) => row.stake)).toEqual(
      view.boxes.map((row) => (row.box === 3 ? "25.00" : row.stake)),
    );
    expect(after?.boxes[0], "what is as it was is the same object").toBe(before?.boxes[0]);
    expect(after?.prompts).toBe(before?.prompts);
  });

  it("asks for the whole table when it is told of changes to a view that it has not", () => {
    last().say({ type: "changes", seq: 8, fields: { seq: 8 }, boxes: {} });
    expect(last().heard).toEqual([JSON.stringify({ type: "snapshot" })]);
    expect(now()?.view ?? null).toBeNull();
  });

  it("asks for a snapshot when a beat names another view", () => {
    last().say({ type: "snapshot", seq: 7, view });
    last().say({ type: "beat", seq: 9 });
    expect(last().heard).toEqual([JSON.stringify({ type: "snapshot" })]);
  });

  it("tries again and again, less and less often", () => {
    for (const wait of [250, 500, 1000, 2000, 2000]) {
      const before = FarEnd.opened.length;
      last().close();
      vi.advanceTimersByTime(wait - 10);
      expect(FarEnd.opened).toHaveLength(before);
      vi.advanceTimersByTime(20);
      expect(FarEnd.opened).toHaveLength(before + 1);
    }
  });

  it("lets pass what a newer server says and this page does not know", () => {
    last().say({ type: "snapshot", seq: 7, view });
    last().say({ type: "weather" });
    expect(now()).toMatchObject({ live: true, view: { seq: 7 } });
  });

  it("hears nothing any more from a socket that it has left", () => {
    const left = last();
    left.say({ type: "snapshot", seq: 7, view });
    vi.advanceTimersByTime(3200);
    left.say({ type: "state", seq: 9, view: tableView({ seq: 9 }) });
    expect(now()).toMatchObject({ live: false, view: { seq: 7 } });
  });
});
