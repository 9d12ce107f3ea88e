// The pit's page: who watches, in his language, the table as it is now, and where on the page he is.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { I18nContext } from "../i18n/context";
import { useLanguage } from "../i18n/language";
import { useSession, useTable } from "../server/live";
import { homeOf, mayAct } from "../server/session";
import { NotLive } from "../shared/not-live";
import { SignInScreen } from "../sign-in-screen";
import { Floor } from "./floor";
import { type Place, usePlace } from "./place";
import { ShiftContext, useNewShift } from "./shift";

/** Using the page keeps its person signed in: asked at most so often. */
const KEEP_MS = 15_000;

/** The whole page. It has a session of its own: what is signed in at the dealer's screen counts for nothing here. */
export function PitPage() {
  const { i18n, choose } = useLanguage();
  const { session, ask } = useSession();
  const home = session && homeOf(session);
  const [place, go] = usePlace();
  const table = useTable(home !== null, ask, place.base);
  const goes = table.view !== null && table.base !== place.base;
  useKept(home !== null, ask);
  return (
    <I18nContext.Provider value={i18n}>
      {session && home && (
        <SignedIn key={home.actor} seq={table.view?.seq ?? 0} place={place}>
          {i18n && table.view && (
            <Floor
              view={table.view}
              place={place}
              go={go}
              goes={goes}
              off={!table.live || (session.screen !== null && !mayAct(session.screen))}
              session={session}
              home={home}
              onLanguage={choose}
              onSession={ask}
            />
          )}
        </SignedIn>
      )}
      {i18n && session && !home && <SignInScreen session={session} onDone={ask} onLanguage={choose} />}
      {i18n && (!session || (home && !table.live && !goes)) && <NotLive view={table.view} />}
    </I18nContext.Provider>
  );
}

interface SignedInProps {
  seq: number;
  place: Place;
  children: ComponentChildren;
}

/** What is known of the shift is asked for at once, before texts and the first view of the table have come. */
function SignedIn({ seq, place, children }: SignedInProps) {
  return <ShiftContext.Provider value={useNewShift(seq, place)}>{children}</ShiftContext.Provider>;
}

/** Says that somebody is at the page while he presses or types; a page that is only left open locks itself. */
function useKept(signedIn: boolean, ask: () => void): void {
  useEffect(() => {
    if (!signedIn) return undefined;
    let last = performance.now();
    const used = (): void => {
      if (performance.now() - last < KEEP_MS) return;
      last = performance.now();
      ask();
    };
    addEventListener("pointerdown", used);
    addEventListener("keydown", used);
    addEventListener("wheel", used, { passive: true });
    return () => {
      removeEventListener("pointerdown", used);
      removeEventListener("keydown", used);
      removeEventListener("wheel", used);
    };
  }, [signedIn, ask]);
}
