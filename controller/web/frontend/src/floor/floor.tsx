// What the signed-in pit sees: the top bar, the page that the address names, and the dialogs over it.
import type { Language } from "../i18n/i18n";
import { useOver } from "../pit/use-over";
import type { Person } from "../server/commands";
import { useHotkeys } from "../shared/hotkeys";
import { promptOf } from "../shared/prompt-of";
import { useCommands } from "../shared/use-commands";
import type { SessionView, TableView } from "../view";
import { BooksPage } from "./books-page";
import { FiguresPage } from "./figures-page";
import { FloorBar } from "./floor-bar";
import { FloorPage } from "./floor-page";
import { type PitTable, stillAsked } from "./pit-table";
import { type Go, type Place, usePlace } from "./place";
import { RecordPage } from "./record-page";
import { ReportPage } from "./report-page";
import { RoundPage } from "./round-page";
import { RoundsPage } from "./rounds-page";
import { elsewhere, ShiftContext, useNewShift } from "./shift";
import { TablesPage } from "./tables-page";

interface Props {
  view: TableView;
  /** Nothing may be sent: the page is not live, or its person only looks. */
  off: boolean;
  session: SessionView;
  home: Person;
  onLanguage: (language: Language) => void;
  onSession: () => void;
}

/** One page at a time; whatever is opened over it stays when the table moves. */
export function Floor({ view, off, session, home, onLanguage, onSession }: Props) {
  const commands = useCommands(view, home, onSession);
  const [place, go] = usePlace();
  const over = useOver({
    view,
    off,
    session,
    commands,
    prompt: promptOf(view),
    pit: true,
    onLanguage,
    // A ruling inside an alert goes with it, be it that somebody else ruled, be it that another page is looked at.
    asks: (chosen) => place.page === "tables" && stillAsked(view, chosen),
  });
  const { open, ruling } = over;
  useHotkeys((key) => {
    if (key === "?" && !over.busy) open({ open: "keys" });
    return key === "?" && !over.busy;
  });
  const shift = useNewShift(view.seq);
  const table: PitTable = {
    view,
    off: off || elsewhere(shift, view.table) !== null,
    commands,
    open,
    ruling,
    go,
  };
  return (
    <ShiftContext.Provider value={shift}>
      <div class="floor" data-page={place.page} data-seq={view.seq} data-live={!off}>
        <FloorBar
          view={view}
          session={session}
          place={place}
          go={go}
          onLanguage={onLanguage}
          onScreen={() => open({ open: "screen" })}
          onSession={onSession}
        />
        <Page table={table} place={place} go={go} />
        {over.drawn}
      </div>
    </ShiftContext.Provider>
  );
}

function Page({ table, place, go }: { table: PitTable; place: Place; go: Go }) {
  const { view } = table;
  switch (place.page) {
    case "floor":
      return <FloorPage table={view.table} seq={view.seq} place={place} go={go} />;
    case "tables":
      return <TablesPage table={table} place={place} />;
    case "rounds":
      return <RoundsPage table={view.table} seq={view.seq} place={place} go={go} />;
    case "round":
      return <RoundPage key={place.what} table={table} place={place} />;
    case "record":
      return <RecordPage seq={view.seq} place={place} go={go} />;
    case "books":
      return <BooksPage table={table} />;
    case "figures":
      return <FiguresPage table={table.view.table} />;
    case "report":
      return <ReportPage />;
  }
}
