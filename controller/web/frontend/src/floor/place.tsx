// Where on the pit's page somebody is, links to other places, and what is asked for there.

import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { baseOf, fetchJson, pitPage, useFetched } from "../server/http";
import type {
  AuditTrail,
  FloorSum,
  RoundList,
  ShiftFigures,
  ShiftLedger,
  StepView,
  StudioFileView,
  Tile,
  TilesNews,
} from "../view";

/** The pages of the pit: all tables of the floor, one of them, the rounds of the day, one round, the record, the table's money, the figures, the shift's report. */
export type PageName = "floor" | "tables" | "rounds" | "round" | "record" | "books" | "figures" | "report";

/** A page, what on it is looked at (a round's number), and where in that. */
export interface Place {
  /** The address of the page of its table. */
  base: string;
  page: PageName;
  what: string;
  query: URLSearchParams;
}

/** The place that an address names; the floor where it names none. */
export function placeOf(pathname: string, search: string): Place {
  const base = baseOf(pathname);
  const [, first = "", what = ""] = pathname.slice(base.length).split("/");
  const query = new URLSearchParams(search);
  const known = decodeURIComponent(what);
  if (first === "rounds") return { base, page: known ? "round" : "rounds", what: known, query };
  const page =
    first === "floor" || first === "record" || first === "books" || first === "figures" || first === "report"
      ? first
      : "tables";
  return { base, page, what: known, query };
}

/** The address of a place at this page's table or another one; an empty query value is left out. */
export function addressOf(
  page: PageName,
  what = "",
  query: Record<string, string> = {},
  base = pitPage(),
): string {
  const folder = {
    floor: "/floor",
    tables: "",
    rounds: "/rounds",
    round: "/rounds",
    record: "/record",
    books: "/books",
    figures: "/figures",
    report: "/report",
  };
  const path = base + folder[page];
  const kept = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return path + (what && `/${encodeURIComponent(what)}`) + (kept && `?${kept}`);
}

/** Goes to another address of the page; `instead` of the present one where it only says more of it. */
export type Go = (address: string, instead?: boolean) => void;

/** The present place, kept in the address bar. */
export function usePlace(): [Place, Go] {
  const [place, setPlace] = useState(() => placeOf(location.pathname, location.search));
  useEffect(() => {
    const back = (): void => setPlace(placeOf(location.pathname, location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const go = useCallback<Go>((address, instead = false) => {
    history[instead ? "replaceState" : "pushState"](null, "", address);
    setPlace(placeOf(location.pathname, location.search));
  }, []);
  return [place, go];
}

interface LinkProps {
  to: string;
  go: Go;
  class?: string;
  name?: string;
  /** It leads to the page that is open. */
  here?: boolean;
  children: ComponentChildren;
}

/** A press with a modifier is the browser's: it opens the address in another tab. A row around it is not pressed. */
export function Link({ to, go, class: look = "plain", name, here, children }: LinkProps) {
  return (
    <a
      href={to}
      class={look}
      data-link={name}
      aria-current={here ? "page" : undefined}
      onClick={(event) => {
        event.stopPropagation();
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

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
interface Shift extends FloorNow {
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

/** The replay of one round. */
export interface Played {
  file: StudioFileView | null;
  /** The step that is asked for; `view` is drawn as soon as it has come. */
  step: number;
  view: StepView | null;
  /** The server could not play the round. */
  failed: boolean;
  toStep: (step: number) => void;
}

/** A round that the table keeps no more is played from the day's beginning by a process of its own: seconds. */
const PLAYS_MS = 120_000;

/** The first card of a round, where a replay begins; the last step where there is none. */
export const firstCard = (file: StudioFileView): number =>
  Math.max(
    file.steps.findIndex((step) => step.what === "card"),
    0,
  );

/** `asked` is the step that the address names; without one it begins at the first card. */
export function usePlayed(round: number, asked: number | null, toStep: (step: number) => void): Played {
  const [file, setFile] = useState<StudioFileView | null>(null);
  const [failed, setFailed] = useState(false);
  const [view, setView] = useState<StepView | null>(null);
  useEffect(() => {
    setFile(null);
    setView(null);
    setFailed(false);
    void fetchJson<StudioFileView>(`/api/played/${round}`, PLAYS_MS).then((found) => {
      setFile(found);
      setFailed(found === null);
    });
  }, [round]);
  const last = file ? file.steps.length - 1 : 0;
  const step = file ? Math.min(Math.max(asked ?? firstCard(file), 0), last) : 0;
  useEffect(() => {
    if (!file) return undefined;
    let wanted = true;
    void fetchJson<StepView>(`/api/played/${round}/step/${step}`).then((found) => {
      if (wanted && found) setView(found);
    });
    return () => {
      wanted = false;
    };
  }, [file, round, step]);
  return { file, step, view, failed, toStep };
}
