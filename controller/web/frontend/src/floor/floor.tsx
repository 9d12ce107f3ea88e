// What the signed-in pit sees: the top bar, the page that the address names, and the dialogs over it.

import { useState } from "preact/hooks";
import type { Language } from "../i18n/i18n";
import { InAlert } from "../pit/act-dialog";
import type { Dialog } from "../pit/dialog-kinds";
import { Dialogs } from "../pit/dialogs";
import { useEditing } from "../pit/use-editing";
import type { Person } from "../server/commands";
import { useHotkeys } from "../shared/hotkeys";
import { promptOf } from "../shared/prompt-of";
import { padAct, RankPad } from "../shared/rank-pad";
import { RefusedContext, Toast } from "../shared/toast";
import { useCommands } from "../shared/use-commands";
import { useSounds } from "../shared/use-sounds";
import type { SessionView, TableView } from "../view";
import { FiguresPage } from "./figures-page";
import { FloorBar } from "./floor-bar";
import { type ChosenWay, type PitTable, stillAsked } from "./pit-table";
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
  const [opened, setOpened] = useState<{ dialog: Dialog; within?: ChosenWay | undefined } | null>(null);
  const open: PitTable["open"] = (dialog, within) => setOpened(dialog && { dialog, within });
  const within = opened?.within;
  // A ruling inside an alert goes with it, be it that somebody else ruled, be it that another page is looked at.
  const stands = !within || (place.page === "tables" && stillAsked(view, within));
  const dialog = stands ? opened?.dialog : undefined;
  const [byHand, setByHand] = useState(false);
  const sounds = useSounds({ view, prompt: promptOf(view), live: !off, pit: true });
  useEditing(dialog?.open === "correct" || dialog?.open === "told", commands);
  useHotkeys((key) => {
    if (dialog && !within) return false;
    if (key === "?") open({ open: "keys" });
    if (key === "?" || !byHand || off) return key === "?";
    const named = padAct(view.by_hand, key);
    if (named) void commands.run("pad", [named]);
    else if (key === "Escape") setByHand(false);
    return named !== null || key === "Escape";
  });
  const shift = useNewShift(view.seq);
  const form = dialog && (
    <Dialogs
      key={within && `${within.alert} ${within.way}`}
      dialog={dialog}
      view={view}
      off={off}
      commands={commands}
      demoPin={session.demo_pin}
      sounds={sounds}
      onLanguage={onLanguage}
      prompt={null}
      onByHand={() => setByHand(true)}
      onOpen={open}
      onClose={() => open(null)}
    />
  );
  const table: PitTable = {
    view,
    off: off || elsewhere(shift, view.table) !== null,
    commands,
    open,
    ruling:
      within && form ? { ...within, form: <InAlert.Provider value={true}>{form}</InAlert.Provider> } : null,
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
        {byHand && (
          <RankPad
            pad={view.by_hand}
            off={off}
            onAct={(act) => void commands.run("pad", [act])}
            onCall={commands.callPit}
            onClose={() => setByHand(false)}
          />
        )}
        <RefusedContext.Provider value={{ refusal: commands.refusal, notice: view.notice }}>
          {form && !within ? form : <Toast />}
        </RefusedContext.Provider>
      </div>
    </ShiftContext.Provider>
  );
}

function Page({ table, place, go }: { table: PitTable; place: Place; go: Go }) {
  const { view } = table;
  switch (place.page) {
    case "tables":
      return <TablesPage table={table} place={place} />;
    case "rounds":
      return <RoundsPage table={view.table} seq={view.seq} place={place} go={go} />;
    case "round":
      return <RoundPage key={place.what} table={table} place={place} />;
    case "record":
      return <RecordPage seq={view.seq} place={place} go={go} />;
    case "figures":
      return <FiguresPage />;
    case "report":
      return <ReportPage />;
  }
}
