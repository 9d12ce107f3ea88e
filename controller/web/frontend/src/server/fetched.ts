// What the server is asked for while somebody looks at it, beside the view that it sends by itself.
import { useLayoutEffect, useState } from "preact/hooks";
import { at } from "./base";

const PATIENCE_MS = 20_000;
const AGAIN_MS = 2000;

/**
 * The newest answer of a path, null until it comes; asked again whenever `after` has changed and the last one is in, and
 * not more often than every `paceMs`. With `after` null it is not asked for, and the last answer stays.
 */
export function useFetched<T>(
  own: string,
  after: number | null,
  paceMs = 0,
  patienceMs = PATIENCE_MS,
): T | null {
  // Of another table nothing is known yet, be it asked for the same.
  const path = at(own);
  const [found, setFound] = useState<{ path: string; after: number; body: T } | null>(null);
  const [waits, setWaits] = useState("");
  const stale = found?.path !== path || found.after !== after;
  // In a layout effect: another one waits until the page has been painted.
  useLayoutEffect(() => {
    if (!stale || after === null || waits === path) return;
    setWaits(path);
    void fetchJson<T>(own, patienceMs).then((body) => {
      if (body) setFound({ path, after, body });
      setTimeout(() => setWaits((now) => (now === path ? "" : now)), body ? paceMs : AGAIN_MS);
    });
  }, [own, path, after, stale, waits, paceMs, patienceMs]);
  return found?.path === path ? found.body : null;
}

/** The answer of a path as JSON, of this page's table or that of the page `base`; null where there is none. */
export async function fetchJson<T>(path: string, patienceMs = PATIENCE_MS, base = at("")): Promise<T | null> {
  try {
    const answer = await fetch(base + path, { signal: AbortSignal.timeout(patienceMs) });
    return answer.ok ? ((await answer.json()) as T) : null;
  } catch {
    return null;
  }
}

/**
 * Asks until there is an answer, which `take` gets; no later than the function that comes back is called. On a slow
 * network a dialog fills late, and is never left empty.
 */
export function askUntilAnswered<T>(ask: () => Promise<T | null>, take: (found: T) => void): () => void {
  let wanted = true;
  let again: ReturnType<typeof setTimeout> | undefined;
  const once = (): void =>
    void ask().then((found) => {
      if (!wanted) return;
      if (found === null) again = setTimeout(once, AGAIN_MS);
      else take(found);
    });
  once();
  return () => {
    wanted = false;
    clearTimeout(again);
  };
}
