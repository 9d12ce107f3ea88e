// One screen of the table: the server's newest view in the reader's language, or that it is not live.
import { useCallback, useEffect, useState } from "preact/hooks";
import { I18nContext } from "./i18n/context";
import { type I18n, keptLanguage, type Language, loadI18n } from "./i18n/i18n";
import { Screen } from "./screen";
import { type LiveTable, NOT_YET, TableSocket } from "./server/socket";
import { NotLive } from "./shared/not-live";

/** The whole page. */
export function App() {
  const [table, setTable] = useState<LiveTable>(NOT_YET);
  const [i18n, setI18n] = useState<I18n | null>(null);
  const choose = useCallback((language: Language): void => void loadI18n(language).then(setI18n), []);
  useEffect(() => {
    choose(keptLanguage());
    new TableSocket(setTable);
    void keepAwake();
    addEventListener("contextmenu", (event) => event.preventDefault());
  }, [choose]);
  if (!i18n) return null;
  return (
    <I18nContext.Provider value={i18n}>
      {table.view && <Screen view={table.view} live={table.live} onLanguage={choose} />}
      {!table.live && <NotLive view={table.view} />}
    </I18nContext.Provider>
  );
}

async function keepAwake(): Promise<void> {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // A tablet without power or a hidden page may refuse; the screen works all the same.
  }
}
