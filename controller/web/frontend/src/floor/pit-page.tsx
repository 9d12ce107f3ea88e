// The pit's page: who watches, in his language, the bar at the top, and the place that the address names.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { I18nContext, LANGUAGE_NAMES, LANGUAGES, type Language, useI18n, useLanguage } from "../i18n/i18n";
import { useOver } from "../pit/dialogs";
import { homeOf, mayAct, type Person, signOut } from "../server/http";
import { useSession, useTable } from "../server/live";
import { NotLive, promptOf } from "../shared/instruction-bar";
import { useHotkeys } from "../shared/keys";
import { keptSounds, play } from "../shared/sounds";
import { useCommands } from "../shared/use-commands";
import { SignInScreen } from "../sign-in-screen";
import type { SessionView, TableView, Tile } from "../view";
import { BooksPage } from "./books-page";
import { FiguresPage, FloorFiguresPage } from "./figures-page";
import { type PitTable, stillAsked } from "./live-table";
import {
  addressOf,
  elsewhere,
  type Go,
  Link,
  type PageName,
  type Place,
  ShiftContext,
  useNewShift,
  usePlace,
  useShift,
} from "./place";
import { RecordPage } from "./record-page";
import { ReportPage } from "./report-page";
import { RoundPage } from "./round-page";
import { RoundsPage } from "./rounds-page";
import { FloorPage, TablesPage } from "./tables-page";
import { SumFigures, Wall } from "./tiles";

interface FloorBarProps {
  view: TableView;
  session: SessionView;
  place: Place;
  go: Go;
  onLanguage: (language: Language) => void;
  onScreen: () => void;
  onSession: () => void;
}

const HOUR_S = 3600;
const PAGES: readonly PageName[] = ["floor", "tables", "rounds", "record", "books", "figures", "report"];

/** The places first: the one that is open is marked. */
function FloorBar({ view, session, place, go, onLanguage, onScreen, onSession }: FloorBarProps) {
  const i18n = useI18n();
  const { tiles, sum } = useShift();
  // A page about all tables is one of several tables.
  const pages = PAGES.filter((page) => page !== "floor" || tiles.length > 1 || place.page === page);
  // The rounds and figures of all tables are theirs.
  const here = place.page === "floor" && place.what ? place.what : place.page;
  const alerts = tiles.flatMap(({ waits }) => waits).filter((one) => one.seen_by === "").length;
  const leave = (): void => void signOut("screen").then(onSession);
  return (
    <header class="floor-top row nowrap ground-1 edge-below">
      <nav class="flex whole-height" aria-label={i18n.text("ui.pages")}>
        {pages.map((page) => (
          <Link
            key={page}
            to={addressOf(page)}
            go={go}
            name={page}
            class="tab"
            here={page === (here === "round" ? "rounds" : here)}
          >
            {i18n.text(`ui.page_${page}`)}
            {page === "floor" && here !== page && alerts > 0 && <b class="differs">{i18n.number(alerts)}</b>}
          </Link>
        ))}
      </nav>
      {here === "floor" && sum && <SumFigures sum={sum} />}
      <span class="spring" />
      <span class="who soft">
        <b>{session.screen?.id}</b> <LocksIn session={session} onSession={onSession} />
      </span>
      <button type="button" class="top-key still" data-top="sign-out" onClick={leave}>
        {i18n.text("ui.sign_out")}
      </button>
      <button
        type="button"
        class="top-key still"
        data-top="screen"
        aria-label={i18n.text("ui.screen_title")}
        onClick={onScreen}
      >
        <span aria-hidden="true">⚙</span>
      </button>
      <select
        class="language"
        aria-label={i18n.text("ui.language")}
        value={i18n.language}
        onChange={(event) => onLanguage(event.currentTarget.value as Language)}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
      <b class="clock">{i18n.clock(view.at_utc_us)}</b>
    </header>
  );
}

/** How long the page stays open if nobody touches it; it asks again when that is over. */
function LocksIn({ session, onSession }: Pick<FloorBarProps, "session" | "onSession">) {
  const i18n = useI18n();
  const [left, setLeft] = useState(session.left_s);
  useEffect(() => {
    const began = performance.now();
    const tick = (): void => {
      const now = Math.max(0, session.left_s - Math.floor((performance.now() - began) / 1000));
      setLeft(now);
      if (now === 0) onSession();
    };
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [session, onSession]);
  // A page for one browser of its own machine stays open all day: a count of its minutes says nothing.
  if (left > HOUR_S) return null;
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  return <span class="locks">{i18n.text("ui.locks_in", { time })}</span>;
}

interface FloorProps {
  view: TableView;
  place: Place;
  go: Go;
  /** The page goes to another table, of which nothing is heard yet: `view` is of the last one. */
  goes: boolean;
  /** Nothing may be sent: the page is not live, or its person only looks. */
  off: boolean;
  session: SessionView;
  home: Person;
  onLanguage: (language: Language) => void;
  onSession: () => void;
}

/** One page at a time; whatever is opened over it stays when the table moves. */
function Floor({ view, place, go, goes, off, session, home, onLanguage, onSession }: FloorProps) {
  const commands = useCommands(view, home, onSession);
  const shift = useShift();
  const { tiles } = shift;
  const over = useOver({
    view,
    off,
    session,
    commands,
    prompt: promptOf(view),
    pit: true,
    onLanguage,
    hearsAll: tiles.length > 1,
    // A ruling inside an alert goes with it, be it that somebody else ruled, be it that another page is looked at.
    asks: (chosen) => (place.page === "tables" || place.page === "floor") && stillAsked(view, chosen),
  });
  const { open, ruling } = over;
  const wall = place.page === "floor" && place.query.has("wall");
  useHotkeys((key) => {
    if (over.busy) return false;
    if (key === "?") open({ open: "keys" });
    else if (key === "w" && place.page === "floor") go(addressOf("floor", "", { wall: "1" }));
    else if (key === "Escape" && wall) go(addressOf("floor"));
    else return false;
    return true;
  });
  useNewAlerts(tiles, view.sound_percent);
  const played = elsewhere(shift, view.table);
  const table: PitTable = {
    view,
    off: off || played !== null,
    played,
    commands,
    open,
    ruling,
    go,
  };
  return (
    <div class="floor grid" data-page={place.page} data-seq={view.seq} data-live={!off}>
      {wall ? (
        <Wall />
      ) : (
        <>
          <FloorBar
            view={view}
            session={session}
            place={place}
            go={go}
            onLanguage={onLanguage}
            onScreen={() => open({ open: "screen" })}
            onSession={onSession}
          />
          <Page table={table} goes={goes} place={place} go={go} />
        </>
      )}
      {!goes && over.drawn}
      {goes && shift.silent && <NotLive view={null} />}
    </div>
  );
}

/** A critical alert is heard again until somebody has seen it. */
const AGAIN_MS = 10_000;

/** A sound for each alert of any table that was not there before; a page that begins is quiet. */
function useNewAlerts(tiles: readonly Tile[], percent: number): void {
  const heard = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (tiles.length === 0) return;
    const open = tiles.flatMap(({ table, waits }) =>
      waits.map((one) => ({ ...one, name: `${table} ${one.kind} ${one.number}` })),
    );
    const before = heard.current;
    heard.current = new Set([...(before ?? []), ...open.map(({ name }) => name)]);
    const isNew = open.filter(({ name }) => before !== null && !before.has(name));
    if (isNew.length === 0 || tiles.length === 1) return;
    const sound = isNew.some(({ severity }) => severity === "critical") ? "critical" : "warning";
    if (keptSounds().has(sound)) play(sound, percent);
  }, [tiles, percent]);
  const critical =
    tiles.length > 1 &&
    tiles.some(({ waits }) =>
      // What only a journal says has no sentence: nobody is at that table who waits.
      waits.some((one) => one.severity === "critical" && one.seen_by === "" && one.text !== null),
    );
  useEffect(() => {
    if (!critical) return undefined;
    const again = (): void => {
      if (keptSounds().has("critical")) play("critical", percent);
    };
    const timer = setInterval(again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [critical, percent]);
}

function Page({ table, goes, place, go }: { table: PitTable; goes: boolean; place: Place; go: Go }) {
  const { view } = table;
  switch (place.page) {
    case "floor":
      if (place.what === "rounds") return <RoundsPage table={view.table} place={place} go={go} floor />;
      if (place.what === "figures") return <FloorFiguresPage seq={view.seq} go={go} />;
      return <FloorPage table={table} goes={goes} place={place} />;
    case "tables":
      return <TablesPage table={table} place={place} />;
    case "rounds":
      return <RoundsPage table={view.table} place={place} go={go} />;
    case "round":
      return <RoundPage key={place.what} table={table} place={place} />;
    case "record":
      return <RecordPage table={table} place={place} />;
    case "books":
      return <BooksPage table={table} />;
    case "figures":
      return <FiguresPage table={table.view.table} go={go} />;
    case "report":
      return <ReportPage />;
  }
}

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

/** What is known of the shift is asked for at once, before texts and the first view of the table have come. */
function SignedIn({ seq, place, children }: { seq: number; place: Place; children: ComponentChildren }) {
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
