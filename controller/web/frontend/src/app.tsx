// One screen of the table: who is at it, and the server's newest view in his language, or that it is not live.
import { useEffect } from "preact/hooks";
import { I18nContext, useLanguage } from "./i18n/i18n";
import { Screen } from "./screen";
import { homeOf, mayAct, signIn } from "./server/http";
import { useSession, useTable } from "./server/live";
import { NotLive } from "./shared/instruction-bar";
import { useCardReader } from "./shared/sign-in-form";
import { SignInScreen } from "./sign-in-screen";

/** The whole page. */
export function App() {
  const { i18n, choose } = useLanguage(true);
  const { session, ask } = useSession();
  useEffect(() => {
    void keepAwake();
    addEventListener("contextmenu", (event) => event.preventDefault());
  }, []);
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

async function keepAwake(): Promise<void> {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // A tablet without power or a hidden page may refuse; the screen works all the same.
  }
}
