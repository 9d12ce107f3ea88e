// The socket of views, and what every page keeps up to date from it.

import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { BoxView, ChangesMessage, SessionView, SocketMessage, TableView } from "../view";
import { at, fetchSession } from "./http";

/** A page that nobody looks at is painted no picture: it goes on after so many milliseconds all the same. */
const UNPAINTED_MS = 100;

/** Calls `next` once, when the browser has painted, or has not for `UNPAINTED_MS`. */
function afterPaint(next: () => void): void {
  let called = false;
  const once = (): void => {
    if (called) return;
    called = true;
    clearTimeout(late);
    next();
  };
  const late = setTimeout(once, UNPAINTED_MS);
  // The callback comes just before the picture; a task that it leaves comes behind it.
  requestAnimationFrame(() => setTimeout(once, 0));
}

/**
 * The same as `show`, but not called twice between two pictures: the first value is shown at once, and of those that
 * come before it is on the screen only the newest. Seven stakes within 100 ms took a slow tablet seven whole drawings,
 * and everything behind them waited.
 */
export function paced<T>(show: (value: T) => void): (value: T) => void {
  let waiting: { value: T } | null = null;
  let painting = false;
  const painted = (): void => {
    painting = false;
    if (waiting) take(waiting.value);
  };
  const take = (value: T): void => {
    // A hidden page is heard all the same: its sounds wait for no picture.
    if (painting && !document.hidden) {
      waiting = { value };
      return;
    }
    waiting = null;
    if (!painting) afterPaint(painted);
    painting = true;
    show(value);
  };
  return take;
}

const STALE_MS = 2500;
const CHECK_MS = 250;
const RETRY_MS = [250, 500, 1000, 2000] as const;

/** The newest view of the table, and whether it can be trusted to be the table's state now. */
export interface LiveTable {
  view: TableView | null;
  live: boolean;
  /** When the server was last heard, on the page's own clock (`performance.now()`, ms). */
  heardAtMs: number;
}

/** Before the first view has come. */
const NOT_YET: LiveTable = { view: null, live: false, heardAtMs: 0 };

/** What has not changed stays the same object: whoever draws it need not draw it again. */
function changed(view: TableView, { fields, boxes }: ChangesMessage): TableView {
  const rows = view.boxes.map((row) => {
    const news = boxes[String(row.box)] as Partial<BoxView> | undefined;
    return news ? { ...row, ...news } : row;
  });
  const boxesNow = rows.some((row, at) => row !== view.boxes[at]) ? rows : view.boxes;
  return { ...view, ...(fields as Partial<TableView>), boxes: boxesNow };
}

/** Keeps the socket open, again and again, and tells `watch` of each view and of silence. */
export class TableSocket {
  private table = NOT_YET;
  private socket: WebSocket | null = null;
  private tries = 0;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private readonly checking: ReturnType<typeof setInterval>;
  // The page may go to another table before a socket is opened again.
  private readonly address = at("/ws?changes=true");
  private readonly watch: (table: LiveTable) => void;
  private readonly closed: () => void;

  /** `closed` hears that a socket has ended: its person may have been signed out. */
  constructor(watch: (table: LiveTable) => void, closed: () => void = () => {}) {
    this.watch = watch;
    this.closed = closed;
    this.open();
    this.checking = setInterval(() => this.checkFresh(), CHECK_MS);
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.address}`);
    this.socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(String(event.data)) as SocketMessage);
    };
    socket.onclose = () => {
      this.closed();
      if (socket === this.socket) this.retry();
    };
  }

  /** Opens the socket now where it waits for its next try: somebody has signed in. */
  again(): void {
    if (this.socket?.readyState === WebSocket.OPEN || this.socket?.readyState === WebSocket.CONNECTING)
      return;
    clearTimeout(this.waiting);
    this.tries = 0;
    this.open();
  }

  /** Hears no more. */
  end(): void {
    clearTimeout(this.waiting);
    clearInterval(this.checking);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    this.socket = null;
  }

  private retry(): void {
    const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
    this.tries += 1;
    this.waiting = setTimeout(() => this.open(), wait);
  }

  private take(message: SocketMessage): void {
    const heardAtMs = performance.now();
    switch (message.type) {
      case "snapshot":
      case "state":
        this.tries = 0;
        this.set({ view: message.view, live: true, heardAtMs });
        break;
      case "changes":
        if (this.table.view) this.set({ view: changed(this.table.view, message), live: true, heardAtMs });
        else this.askSnapshot();
        break;
      case "beat":
        this.set({ ...this.table, heardAtMs });
        if (message.seq !== this.table.view?.seq) this.askSnapshot();
        break;
      case "hello":
        this.set({ ...this.table, heardAtMs });
        break;
      default:
        // A newer server may say more than this page knows; what it does not know tells it nothing.
        message satisfies never;
    }
  }

  private askSnapshot(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type: "snapshot" }));
  }

  private checkFresh(): void {
    if (!this.table.live || performance.now() - this.table.heardAtMs <= STALE_MS) return;
    this.set({ ...this.table, live: false });
    // A silent socket may be dead without saying so: leave it and begin afresh.
    const dead = this.socket;
    this.socket = null;
    dead?.close();
    this.retry();
  }

  private set(table: LiveTable): void {
    this.table = table;
    this.watch(table);
  }
}

const ASK_AGAIN_MS = 1000;

/** Who is signed in, asked again and again until the server says so, and whenever `ask` is called. */
export function useSession(): { session: SessionView | null; ask: () => void } {
  const [session, setSession] = useState<SessionView | null>(null);
  const again = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ask = useCallback((): void => {
    // At most one repetition waits: each closed socket asks, too, and a server can be away for hours.
    clearTimeout(again.current);
    void fetchSession().then((said) => {
      if (said) return setSession(said);
      clearTimeout(again.current);
      again.current = setTimeout(ask, ASK_AGAIN_MS);
    });
  }, []);
  // Here and below in a layout effect: another one waits until the page has been painted.
  useLayoutEffect(ask, [ask]);
  return { session, ask };
}

/** What is known of a table, and the address of the page that it was heard at. */
type HeardTable = LiveTable & { base: string };

/** The table as it is now, from the first sign-in on; `lost` is called when the server ends the socket while
 *  somebody is signed in. The end of a socket may come long after a sign-out, when the next person signs in.
 *  With another `base` it is another table; until that is heard the last one stays, which is not live. */
export function useTable(wanted: boolean, lost: () => void, base = ""): HeardTable {
  const [heard, setHeard] = useState<HeardTable>({ ...NOT_YET, base });
  const socket = useRef<{ base: string; socket: TableSocket } | null>(null);
  const mayLose = useRef(wanted);
  mayLose.current = wanted;
  useLayoutEffect(() => {
    if (!wanted) return;
    const last = socket.current;
    if (last?.base === base) return last.socket.again();
    last?.socket.end();
    const show = paced((table: LiveTable) => setHeard({ ...table, base }));
    // Before its first view a table is not heard.
    const watch = (table: LiveTable): void => void (table.view && show(table));
    socket.current = { base, socket: new TableSocket(watch, () => mayLose.current && lost()) };
  }, [wanted, lost, base]);
  return heard.base === base ? heard : { ...heard, live: false };
}
