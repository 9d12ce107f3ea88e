// The floor: its tables as tiles, the chosen one from the pit's side, its ledger, alerts, devices, who did what.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";
import { Alerts } from "./alerts";
import { Devices } from "./devices";
import { Differing, Ledger } from "./ledger";
import { LiveTable } from "./live-table";
import { Books, Seconds, WinAgainst } from "./panels";
import type { PitTable } from "./pit-table";
import type { Place } from "./place";
import { ShoeCard } from "./shoe-card";
import { Tiles } from "./tiles";
import { WhoDidWhat } from "./who-did-what";

/** What is behind the bar of a tablet, one at a time. */
const SHEETS = {
  ledger: "ui.ledger",
  panels: "ui.page_figures",
  did: "ui.who_did_what",
  shoe: "ui.shoe",
} as const;
type Sheet = keyof typeof SHEETS;

/** Three columns; a tablet has the table over its whole width, and the rest behind the bar below it. */
export function TablesPage({ table, place }: { table: PitTable; place: Place }) {
  const { view, go } = table;
  const [sheet, setSheet] = useState<Sheet | null>(null);
  return (
    <main class="tables grid low" data-sheet={sheet}>
      <div class="column left">
        <Tiles chosen={view.table} page="tables" go={go} />
        <WhoDidWhat go={go} />
        <Devices table={table} />
      </div>
      <div class="column middle">
        <LiveTable table={table} />
        <SheetBar view={view} sheet={sheet} onSheet={setSheet} />
        <Ledger table={table} place={place} />
        <div class="panels grid gap-12">
          <WinAgainst />
          <Seconds />
          <Books />
        </div>
      </div>
      <div class="column right">
        <Alerts table={table} view={view} go={go} place={place} />
        <ShoeCard table={table} />
      </div>
    </main>
  );
}

interface SheetProps {
  view: TableView;
  sheet: Sheet | null;
  onSheet: (sheet: Sheet | null) => void;
}

/** On a tablet: the bar that the ledger is behind; opened it has a tab for each sheet. */
function SheetBar({ view, sheet, onSheet }: SheetProps) {
  const i18n = useI18n();
  return (
    <div class="sheet-bar">
      <button
        type="button"
        class="sheet-key"
        data-key="SHEET"
        aria-expanded={sheet !== null}
        onClick={() => onSheet(sheet ? null : "ledger")}
      >
        <span aria-hidden="true">{sheet ? "▾" : "▴"}</span>{" "}
        {sheet ? i18n.text("ui.close") : i18n.text("ui.ledger")}{" "}
        {!sheet && (
          <>
            <span class="quiet">{view.table}</span>
            <span class="spring" />
            <Differing />
          </>
        )}
      </button>
      {sheet &&
        (Object.keys(SHEETS) as Sheet[]).map((name) => (
          <button
            key={name}
            type="button"
            class="tab"
            data-sheet-tab={name}
            aria-pressed={name === sheet}
            onClick={() => onSheet(name)}
          >
            {i18n.text(SHEETS[name])}
          </button>
        ))}
    </div>
  );
}
