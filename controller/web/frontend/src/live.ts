// The one socket of this screen: newest view in, and the certainty that it is fresh.
import type { TableView } from "./view";

const STALE_MS = 2500;
const RETRY_MS = [250, 500, 1000, 2000] as const;

type Message =
  | { type: "hello"; heartbeat_ms: number }
  | { type: "snapshot" | "state"; seq: number; view: TableView }
  | { type: "beat"; seq: number };

export interface Sight {
  view: TableView | null;
  live: boolean;
  seenAt: number;
}

export class Live {
  private sight: Sight = { view: null, live: false, seenAt: 0 };
  private socket: WebSocket | null = null;
  private tries = 0;
  private readonly watch: (sight: Sight) => void;

  constructor(watch: (sight: Sight) => void) {
    this.watch = watch;
    this.open();
    setInterval(() => this.checkFresh(), 250);
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket = socket;
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(String(event.data)) as Message);
    };
    socket.onclose = () => {
      if (socket === this.socket) this.retry();
    };
  }

  private retry(): void {
    const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
    this.tries += 1;
    setTimeout(() => this.open(), wait);
  }

  private take(message: Message): void {
    const seenAt = performance.now();
    if (message.type === "snapshot" || message.type === "state") {
      this.tries = 0;
      this.set({ view: message.view, live: true, seenAt });
      return;
    }
    this.set({ ...this.sight, seenAt, live: this.sight.live });
    if (message.type === "beat" && message.seq !== this.sight.view?.seq) this.askSnapshot();
  }

  private askSnapshot(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type: "snapshot" }));
  }

  private checkFresh(): void {
    if (!this.sight.live || performance.now() - this.sight.seenAt <= STALE_MS) return;
    this.set({ ...this.sight, live: false });
    // A silent socket may be dead without saying so: leave it and begin afresh.
    const dead = this.socket;
    this.socket = null;
    dead?.close();
    this.retry();
  }

  private set(sight: Sight): void {
    this.sight = sight;
    this.watch(sight);
  }
}
