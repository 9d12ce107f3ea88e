// Tiles that come by need, and stay where they are while somebody reaches for one.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tile } from "../view";

/** So long after the last touch the order follows need again. */
const REST_MS = 2000;

/** What touches, moves over, scrolls, or goes through the tiles by keys. */
const TOUCHES = ["pointerdown", "pointermove", "pointerup", "pointercancel", "scroll", "keydown"] as const;

interface Steady {
  shown: readonly Tile[];
  place: RefObject<HTMLDivElement | null>;
}

/** New tables come last while the order rests. */
export function useSteadyOrder(tiles: readonly Tile[]): Steady {
  const order = useRef<readonly string[]>([]);
  const place = useRef<HTMLDivElement>(null);
  const [rests, setRests] = useState(false);
  useEffect(() => {
    const tiles = place.current;
    let down = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      if (down) timer = setTimeout(end, REST_MS);
      else setRests(false);
    };
    const touched = (event: Event): void => {
      if (event.type === "pointerdown") down = true;
      if (event.type === "pointerup" || event.type === "pointercancel") down = false;
      setRests(true);
      clearTimeout(timer);
      timer = setTimeout(end, REST_MS);
    };
    for (const name of TOUCHES) tiles?.addEventListener(name, touched, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const name of TOUCHES) tiles?.removeEventListener(name, touched);
    };
  }, []);
  if (!rests) order.current = tiles.map((tile) => tile.table);
  if (!rests) return { shown: tiles, place };
  const known = new Map(order.current.map((table, index) => [table, index]));
  const placeOf = (tile: Tile): number => known.get(tile.table) ?? tiles.length;
  return { shown: [...tiles].sort((one, other) => placeOf(one) - placeOf(other)), place };
}
