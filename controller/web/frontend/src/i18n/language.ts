// The language that a page is in: the one that was chosen last, fetched until it is there.
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type I18n, keptLanguage, type Language, loadI18n } from "./i18n";

const AGAIN_MS = 1000;

/**
 * The reader's texts, null until they have come, and how to choose others: the language of last time at first.
 * The dealer's page (`atTheTable`) fetches the texts of other pages only when it is asked for one of them.
 */
export function useLanguage(atTheTable = false): { i18n: I18n | null; choose: (language: Language) => void } {
  const [i18n, setI18n] = useState<I18n | null>(null);
  const newest = useRef(0);
  const choose = useCallback(
    (language: Language): void => {
      newest.current += 1;
      const own = newest.current;
      let short = atTheTable;
      const load = (onLack?: () => void): void => {
        void untilLoaded(language, () => own === newest.current, onLack).then(
          (loaded) => loaded && setI18n(loaded),
        );
      };
      const loadWhole = (): void => {
        if (short) load();
        short = false;
      };
      load(short ? loadWhole : undefined);
    },
    [atTheTable],
  );
  // In a layout effect: another one waits until the page has been painted.
  useLayoutEffect(() => {
    choose(keptLanguage());
    return () => {
      newest.current += 1;
    };
  }, [choose]);
  return { i18n, choose };
}

/** Fetches again where the server did not answer; null once another language has been chosen. */
async function untilLoaded(
  language: Language,
  isChosen: () => boolean,
  onLack?: () => void,
): Promise<I18n | null> {
  while (isChosen()) {
    const loaded = await loadI18n(language, isChosen, onLack).catch(() => undefined);
    if (loaded !== undefined) return loaded;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return null;
}
