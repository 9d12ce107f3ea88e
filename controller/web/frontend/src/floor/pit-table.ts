// What every part of the pit's page is given: the table, and how to act on it.
import type { ComponentChildren } from "preact";
import type { Dialog } from "../pit/dialog-kinds";
import type { Commands } from "../shared/use-commands";
import type { DoubtRow, HoldRow, TableView } from "../view";
import type { Go } from "./place";

/** A way out that is chosen in a stop, or an answer to a camera's question. */
export interface ChosenWay {
  /** The stop or the question, by its key. */
  alert: string;
  way: string;
}

/** What tells one stop from another of the same code. */
export const holdKey = (hold: HoldRow): string => `${hold.code} ${hold.since_utc_us}`;

/** What tells one camera's question from another. */
export const doubtKey = (doubt: DoubtRow): string => JSON.stringify(doubt.text);

/** Whether what a way was chosen in is still asked. */
export const stillAsked = ({ holds, doubts }: TableView, { alert }: ChosenWay): boolean =>
  holds.some((hold) => holdKey(hold) === alert) || doubts.some((doubt) => doubtKey(doubt) === alert);

/** The live table as the pit's page has it. */
export interface PitTable {
  view: TableView;
  /** Nothing may be sent now. */
  off: boolean;
  commands: Commands;
  /** Opens over the page, or inside the alert of which a way is chosen. */
  open: (dialog: Dialog | null, within?: ChosenWay) => void;
  /** The ruling that is open inside an alert. */
  ruling: (ChosenWay & { form: ComponentChildren }) | null;
  go: Go;
}
