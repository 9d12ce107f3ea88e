// Which shape the screen has: the table is drawn for it, not scaled to it.
import { useEffect, useState } from "preact/hooks";

/** Whether a media query holds now, told again when that changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const changed = (): void => setMatches(media.matches);
    changed();
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, [query]);
  return matches;
}

/** A tablet or phone that stands upright. */
export const UPRIGHT = "(max-width: 900px) and (orientation: portrait)";

/** A phone that stands upright, or a page so low that a whole table would be too small: it shows one box at a time. */
export const PHONE = "(max-width: 520px) and (orientation: portrait), (max-height: 520px)";
