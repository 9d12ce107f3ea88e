// What the pit's page knows of the shift: asked for once for all that draws it, and not with every card.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { fetchJson, useFetched } from "../server/fetched";
import type { AuditTrail, ShiftFigures, ShiftLedger, Tile, TilesNews } from "../view";

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

/** Between two questions for tiles; each is answered as soon as something is new. */
const TILES_MS = 50;

const AGAIN_MS = 2000;

/** Asks again whenever the table has moved. */
export function useNewShift(seq: number): Shift {
  return {
    tiles: useTiles(),
    ledger: useFetched<ShiftLedger>("/api/ledger", seq, PACE_MS),
    figures: useFetched<ShiftFigures>("/api/figures", seq, FIGURES_MS),
    trail: useFetched<AuditTrail>("/api/audit", seq, PACE_MS),
  };
}

/** The tables of the floor by need, each the very object that was there before where nothing of it has changed. */
function useTiles(): readonly Tile[] {
  const [tiles, setTiles] = useState<readonly Tile[]>(NO_TILES);
  useEffect(() => {
    let open = true;
    let order = "";
    const known = new Map<string, Tile>();
    const ask = async (after: number): Promise<void> => {
      const news = await fetchJson<TilesNews>(`/api/tables/news?after=${after}`);
      if (!open) return;
      for (const tile of news?.tiles ?? []) known.set(tile.table, tile);
      if (news && (news.tiles.length > 0 || news.order.join() !== order)) {
        order = news.order.join();
        setTiles(news.order.flatMap((table) => known.get(table) ?? []));
      }
      setTimeout(() => open && void ask(news?.count ?? after), news ? TILES_MS : AGAIN_MS);
    };
    void ask(0);
    return () => {
      open = false;
    };
  }, []);
  return tiles;
}

export const ShiftContext = createContext<Shift>(NOTHING);

/** The tile of a table that is played at a controller of its own, null for this server's table. */
export const elsewhere = ({ tiles }: Shift, table: string): Tile | null =>
  tiles.find((tile) => tile.table === table && tile.elsewhere) ?? null;

/** What is known of the shift below the page. */
export const useShift = (): Shift => useContext(ShiftContext);
