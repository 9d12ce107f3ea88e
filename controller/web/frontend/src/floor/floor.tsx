// What the signed-in pit sees: the top bar, the page that the address names, and the dialogs over it.
import { useEffect, useRef } from "preact/hooks";
import type { Language } from "../i18n/i18n";
import { useOver } from "../pit/use-over";
import type { Person } from "../server/commands";
import { useHotkeys } from "../shared/hotkeys";
import { NotLive } from "../shared/not-live";
import { promptOf } from "../shared/prompt-of";
import { keptSounds, play } from "../shared/sounds";
import { useCommands } from "../shared/use-commands";
import type { SessionView, TableView, Tile } from "../view";
import { BooksPage } from "./books-page";
import { FiguresPage, FloorFiguresPage } from "./figures-page";
import { FloorBar } from "./floor-bar";
import { FloorPage } from "./floor-page";
import { type PitTable, stillAsked } from "./pit-table";
import { addressOf, type Go, type Place } from "./place";
import { RecordPage } from "./record-page";
import { ReportPage } from "./report-page";
import { RoundPage } from "./round-page";
import { RoundsPage } from "./rounds-page";
import { elsewhere, useShift } from "./shift";
import { TablesPage } from "./tables-page";
import { Wall } from "./tiles";

interface Props {
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
export function Floor({ view, place, go, goes, off, session, home, onLanguage, onSession }: Props) {
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

interface PageProps {
  table: PitTable;
  goes: boolean;
  place: Place;
  go: Go;
}

function Page({ table, goes, place, go }: PageProps) {
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
