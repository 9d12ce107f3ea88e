// What every part of the pit's page is given: the table, and how to act on it.
import type { Chosen } from "../pit/dialog-kinds";
import type { Over } from "../pit/use-over";
import type { Commands } from "../shared/use-commands";
import type { DoubtRow, HoldRow, TableView, Tile } from "../view";
import type { Go } from "./place";

/** What tells one stop from another of the same code. */
export const holdKey = (hold: HoldRow): string => `${hold.code} ${hold.since_utc_us}`;

/** What tells one camera's question from another. */
export const doubtKey = (doubt: DoubtRow): string => JSON.stringify(doubt.text);

/** Whether what a way was chosen in is still asked. */
export const stillAsked = ({ holds, doubts }: TableView, { alert }: Chosen): boolean =>
  holds.some((hold) => holdKey(hold) === alert) || doubts.some((doubt) => doubtKey(doubt) === alert);

/** The live table as the pit's page has it. */
export interface PitTable extends Pick<Over, "open" | "ruling"> {
  view: TableView;
  /** Nothing may be sent now. */
  off: boolean;
  /** It is played at a controller of its own that cannot be reached: what it asks is answered there. */
  played: Tile | null;
  commands: Commands;
  go: Go;
}
