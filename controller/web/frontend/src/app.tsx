// One screen of the table: who is at it, and the server's newest view in his language, or that it is not live.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { I18nContext } from "./i18n/context";
import { type I18n, keptLanguage, type Language, loadI18n } from "./i18n/i18n";
import { Screen } from "./screen";
import { paced } from "./server/paced";
import { fetchSession, homeOf, mayAct, signIn } from "./server/session";
import { type LiveTable, NOT_YET, TableSocket } from "./server/socket";
import { useCardReader } from "./shared/card-reader";
import { NotLive } from "./shared/not-live";
import { SignInScreen } from "./sign-in-screen";
import type { SessionView } from "./view";

const ASK_AGAIN_MS = 1000;

/** The whole page. */
export function App() {
  const [i18n, setI18n] = useState<I18n | null>(null);
  const { session, ask } = useSession();
  const choose = useCallback((language: Language): void => void loadI18n(language).then(setI18n), []);
  useEffect(() => {
    choose(keptLanguage());
    void keepAwake();
    addEventListener("contextmenu", (event) => event.preventDefault());
  }, [choose]);
  const home = session && homeOf(session);
  const table = useTable(home !== null, ask);
  // A card at the screen of another dealer is the change of dealers.
  useCardReader(
    home ? (session?.card_prefix ?? "") : "",
    (card) => void signIn("screen", { card }).then(ask),
  );
  if (!i18n) return null;
  const looksOn = session?.screen ? !mayAct(session.screen) : false;
  return (
    <I18nContext.Provider value={i18n}>
      {session && home && table.view && (
        <Screen
          key={home.actor}
          view={table.view}
          live={table.live && !looksOn}
          session={session}
          home={home}
          onLanguage={choose}
          onSession={ask}
        />
      )}
      {session && !home && <SignInScreen session={session} onDone={ask} onLanguage={choose} />}
      {(!session || (home && !table.live)) && <NotLive view={table.view} />}
    </I18nContext.Provider>
  );
}

/** Who is signed in, asked again and again until the server says so, and whenever `ask` is called. */
function useSession(): { session: SessionView | null; ask: () => void } {
  const [session, setSession] = useState<SessionView | null>(null);
  const ask = useCallback((): void => {
    void fetchSession().then((said) => (said ? setSession(said) : setTimeout(ask, ASK_AGAIN_MS)));
  }, []);
  useEffect(ask, [ask]);
  return { session, ask };
}

/** The table as it is now, from the first sign-in on; `lost` is called when the server ends the socket. */
function useTable(wanted: boolean, lost: () => void): LiveTable {
  const [table, setTable] = useState<LiveTable>(NOT_YET);
  const socket = useRef<TableSocket | null>(null);
  useEffect(() => {
    if (!wanted) return;
    if (socket.current) socket.current.again();
    else socket.current = new TableSocket(paced(setTable), lost);
  }, [wanted, lost]);
  return table;
}

async function keepAwake(): Promise<void> {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // A tablet without power or a hidden page may refuse; the screen works all the same.
  }
}
