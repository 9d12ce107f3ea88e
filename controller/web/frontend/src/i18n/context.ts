// The reader's language, for every component below the app.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { I18n } from "./i18n";

/** Null until the first catalogue has been loaded. */
export const I18nContext = createContext<I18n | null>(null);

/** Texts, amounts and times in the reader's language; throws outside the app, where no catalogue has been loaded. */
export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error("useI18n needs an I18nContext above it");
  return i18n;
}
