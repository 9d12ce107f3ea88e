// What every part of the pit's page is given: the table, and how to act on it.
import type { ComponentChildren } from "preact";
import type { Dialog, Way } from "../pit/dialog-kinds";
import type { Commands } from "../shared/use-commands";
import type { HoldRow, TableView } from "../view";
import type { Go } from "./place";

/** A way out that is chosen in a stop. */
export interface ChosenWay {
  /** The stop, by `holdKey`. */
  hold: string;
  way: Way;
}

/** What tells one stop from another of the same code. */
export const holdKey = (hold: HoldRow): string => `${hold.code} ${hold.since_utc_us}`;

/** The live table as the pit's page has it. */
export interface PitTable {
  view: TableView;
  /** Nothing may be sent now. */
  off: boolean;
  commands: Commands;
  /** Opens over the page, or inside the stop of which a way is chosen. */
  open: (dialog: Dialog | null, within?: ChosenWay) => void;
  /** The ruling that is open inside a stop. */
  ruling: (ChosenWay & { form: ComponentChildren }) | null;
  go: Go;
}
