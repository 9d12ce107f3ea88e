// What the pit's page knows of floor and shift: asked for once for all that draws it, and not with every card.
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { fetchJson, useFetched } from "../server/fetched";
import type { AuditTrail, FloorSum, RoundList, ShiftFigures, ShiftLedger, Tile, TilesNews } from "../view";
import type { PageName, Place } from "./place";

/** The tables of the floor in their order, and the sum of all. */
interface FloorNow {
  tiles: readonly Tile[];
  /** The tables of the first places, "" for an empty one: each stays free for its table. */
  places: readonly string[];
  sum: FloorSum | null;
  /** The server has not answered for some seconds: what the tiles say is old. */
  silent: boolean;
  /** The server's clock, in microseconds since 1970. */
  nowUs: () => number;
}

/** The answers as far as they have come. */
export interface Shift extends FloorNow {
  ledger: ShiftLedger | null;
  figures: ShiftFigures | null;
  trail: AuditTrail | null;
  rounds: RoundList | null;
}

const NO_FLOOR = { tiles: [], places: [], sum: null, silent: false };
const NOTHING: Shift = {
  ...NO_FLOOR,
  nowUs: () => 0,
  ledger: null,
  figures: null,
  trail: null,
  rounds: null,
};

/** A table makes up to five changes a second; what is read by people once a second costs it less. */
const PACE_MS = 1000;

/** Figures of a whole shift are worked out anew each time, and nobody reads a chart by the second. */
const FIGURES_MS = 3000;

/** Between two questions for tiles; each is answered as soon as something is new. */
const TILES_MS = 50;

const AGAIN_MS = 2000;

/** A question for tiles is answered within a second; after so long the server is silent. */
const SILENT_MS = 3500;

/** The pages that draw each answer. Asked for on all of them, the ledger came before the first figures. */
const LEDGER_ON: readonly PageName[] = ["floor", "tables"];
const FIGURES_ON: readonly PageName[] = ["floor", "tables", "books", "figures"];
const TRAIL_ON: readonly PageName[] = ["tables"];

/** Asks for what the page draws, and again whenever the table has moved. */
export function useNewShift(seq: number, place: Place): Shift {
  const { page } = place;
  const listed = listedBy(place);
  const on = (pages: readonly PageName[]): number | null => (pages.includes(page) ? seq : null);
  return {
    ...useFloorNow(),
    ledger: useFetched<ShiftLedger>("/api/ledger", on(LEDGER_ON), PACE_MS),
    figures: useFetched<ShiftFigures>("/api/figures", on(FIGURES_ON), FIGURES_MS),
    trail: useFetched<AuditTrail>("/api/audit", on(TRAIL_ON), PACE_MS),
    rounds: useFetched<RoundList>(listed ?? "", listed ? seq : null),
  };
}

/** What a list of rounds is asked for by; null where the place has none. */
function listedBy({ page, what, query }: Place): string | null {
  if (page !== "rounds" && !(page === "floor" && what === "rounds")) return null;
  const minutes = String(-new Date().getTimezoneOffset());
  return `/api/${page === "floor" ? "floor/" : ""}rounds?${new URLSearchParams([...query, ["minutes", minutes]])}`;
}

/** Each tile is the very object that was there before where nothing of it has changed. */
function useFloorNow(): FloorNow {
  const [floor, setFloor] = useState<Omit<FloorNow, "nowUs">>(NO_FLOOR);
  const ahead = useRef(Date.now() * 1000 - performance.now() * 1000);
  const [nowUs] = useState(() => () => performance.now() * 1000 + ahead.current);
  useEffect(() => {
    let open = true;
    let order = "";
    const known = new Map<string, Tile>();
    const ask = async (after: number): Promise<void> => {
      const news = await fetchJson<TilesNews>(`/api/tables/news?after=${after}`, SILENT_MS);
      if (!open) return;
      if (news) ahead.current = news.now_utc_us - performance.now() * 1000;
      for (const tile of news?.tiles ?? []) known.set(tile.table, tile);
      const isNew = news && (news.tiles.length > 0 || news.order.join() !== order);
      if (isNew) order = news.order.join();
      setFloor((last) => {
        if (isNew) {
          const tiles = news.order.flatMap((table) => known.get(table) ?? []);
          return { tiles, places: news.places, sum: news.sum, silent: false };
        }
        return last.silent === (news === null) ? last : { ...last, silent: news === null };
      });
      setTimeout(() => open && void ask(news?.count ?? after), news ? TILES_MS : AGAIN_MS);
    };
    void ask(0);
    return () => {
      open = false;
    };
  }, []);
  return { ...floor, nowUs };
}

export const ShiftContext = createContext<Shift>(NOTHING);

/** The tile of a table that is played at a controller of its own, null for this server's table. */
export const elsewhere = ({ tiles }: Pick<Shift, "tiles">, table: string): Tile | null =>
  tiles.find((tile) => tile.table === table && tile.elsewhere) ?? null;

/** What is known of the shift below the page. */
export const useShift = (): Shift => useContext(ShiftContext);
