// The dialogs over the table by name, each with what it is about; one is open at a time.
import type { AlertRow, DoubtRow, HoldRow, OpenCard } from "../view";
import type { Subject } from "./entered/subject";

/** A way out that is chosen in a stop, or an answer to a camera's question. */
export interface Chosen {
  /** The stop or the question, by its key. */
  alert: string;
  way: string;
}

/** The ways that are confirmed and done, without figures. */
export type PlainWay = "keep" | "draw" | "shoe" | "shuffle" | "shoe_void";

/** What is corrected, or the round in which something is chosen first. */
export type PutRightAt = Subject | { round: number };

/** What is open over the table, and on what. */
export type Dialog =
  | { open: "sign-in" }
  | { open: "entered"; at: PutRightAt }
  | { open: "way"; hold: HoldRow; way: PlainWay }
  | { open: "void"; box?: number }
  | { open: "devices" }
  | { open: "faults" }
  | { open: "screen" }
  | { open: "keys" }
  | { open: "training" }
  | { open: "doors" }
  | { open: "shoe" }
  | { open: "rest" }
  | { open: "limits" }
  | { open: "shoe-void" }
  | { open: "counted" }
  | { open: "money" }
  | { open: "alert"; alert: AlertRow }
  | { open: "doubt"; doubt: DoubtRow; card?: OpenCard | null };
