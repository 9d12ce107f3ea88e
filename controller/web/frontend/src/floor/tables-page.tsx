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

/** Three columns; a tablet has the table over its whole width, and the rest behind the bar below it. */
export function TablesPage({ table, place }: { table: PitTable; place: Place }) {
  const { view, go } = table;
  const [open, setOpen] = useState(false);
  return (
    <main class={open ? "tables sheet-open" : "tables"}>
      <div class="column left">
        <Tiles chosen={view.table} page="tables" go={go} />
        <WhoDidWhat go={go} />
        <Devices table={table} />
      </div>
      <div class="column middle">
        <LiveTable table={table} />
        <SheetKey view={view} open={open} onOpen={() => setOpen(!open)} />
        <Ledger table={table} place={place} />
        <div class="panels">
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

/** On a tablet: the bar that the ledger is behind, with what is open in it. */
function SheetKey({ view, open, onOpen }: { view: TableView; open: boolean; onOpen: () => void }) {
  const i18n = useI18n();
  return (
    <button type="button" class="sheet-key" data-key="SHEET" aria-expanded={open} onClick={onOpen}>
      <span aria-hidden="true">{open ? "▾" : "▴"}</span> {i18n.text("ui.ledger")}{" "}
      <span class="quiet">{view.table}</span>
      <span class="spring" />
      <Differing />
    </button>
  );
}
