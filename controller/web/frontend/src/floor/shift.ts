// What the pit's page knows of the shift: asked for once for all that draws it, and not with every card.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { fetchJson, useFetched } from "../server/fetched";
import type { AuditTrail, ShiftFigures, ShiftLedger, Tile } from "../view";
import { useSame } from "./steady";

/** The answers as far as they have come. */
export interface Shift {
  tiles: readonly Tile[];
  ledger: ShiftLedger | null;
  figures: ShiftFigures | null;
  trail: AuditTrail | null;
}

const NO_TILES: readonly Tile[] = [];
const NOTHING: Shift = { tiles: NO_TILES, ledger: null, figures: null, trail: null };

/** A table makes up to five changes a second; what is read by people once a second costs it less. */
const PACE_MS = 1000;

/** Figures of a whole shift are worked out anew each time, and nobody reads a chart by the second. */
const FIGURES_MS = 3000;

/** Tiles of the floor's network are there within a quarter of a second. */
const TILES_MS = 50;

/** Tables of folders move, and are read, while this one rests; those of a network may be out of reach. */
const FLOOR_MS = 5000;

const AGAIN_MS = 2000;

/** Asks again whenever the table has moved; of the floor's tables also where it has not. */
export function useNewShift(seq: number): Shift {
  const { turns, network } = useNews();
  return {
    tiles: useSame(useFetched<Tile[]>("/api/tables", seq + turns, network ? TILES_MS : PACE_MS) ?? NO_TILES),
    ledger: useFetched<ShiftLedger>("/api/ledger", seq, PACE_MS),
    figures: useFetched<ShiftFigures>("/api/figures", seq, FIGURES_MS),
    trail: useFetched<AuditTrail>("/api/audit", seq, PACE_MS),
  };
}

/** Counts what the floor's other tables do: those of a network as it happens, those of folders now and then. */
function useNews(): { turns: number; network: boolean } {
  const [news, setNews] = useState({ turns: 0, network: false });
  useEffect(() => {
    let open = true;
    const ask = async (after: number): Promise<void> => {
      const count = await fetchJson<number>(`/api/tables/news?after=${after}`);
      if (!open) return;
      if (count !== null && count !== after) setNews(({ turns }) => ({ turns: turns + 1, network: true }));
      setTimeout(() => open && void ask(count ?? after), count === null ? AGAIN_MS : TILES_MS);
    };
    void ask(0);
    const timer = setInterval(() => setNews((known) => ({ ...known, turns: known.turns + 1 })), FLOOR_MS);
    return () => {
      open = false;
      clearInterval(timer);
    };
  }, []);
  return news;
}

export const ShiftContext = createContext<Shift>(NOTHING);

/** The tile of a table that is played at a controller of its own, null for this server's table. */
export const elsewhere = ({ tiles }: Shift, table: string): Tile | null =>
  tiles.find((tile) => tile.table === table && tile.elsewhere) ?? null;

/** What is known of the shift below the page. */
export const useShift = (): Shift => useContext(ShiftContext);
