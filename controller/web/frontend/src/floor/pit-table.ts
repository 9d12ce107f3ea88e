// What every part of the pit's page is given: the table, and how to act on it.
import type { Dialog } from "../pit/dialog-kinds";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import type { Go } from "./place";

/** The live table as the pit's page has it. */
export interface PitTable {
  view: TableView;
  /** Nothing may be sent now. */
  off: boolean;
  commands: Commands;
  open: (dialog: Dialog) => void;
  go: Go;
}
