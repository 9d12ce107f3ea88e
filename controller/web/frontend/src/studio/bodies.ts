// What the tester's server says; the same as `controller/studio/bodies.py`.
import type { CameraView, Chips, Money, TableView, Word, Words } from "../view";

export const LANES = ["shoe", "devices", "people", "engine", "holds", "money"] as const;
export type Lane = (typeof LANES)[number];

export interface StepMark {
  t: number;
  round: number;
  line: number;
  /** Of the journal, with which the line came; 0 where there is none. */
  entry: number;
  what: string;
  lanes: Lane[];
  /** Of these cameras a picture was recorded since the step before. */
  cameras: string[];
}

export interface Finding {
  step: number;
  round: number;
  weight: number;
  text: Words;
}

/** One of the words that a rule takes, as JSON and for people. */
export interface FieldChoice {
  value: string;
  says: string | Word;
}

/** A rule, an option or a field of a line; `says` is what it is in the file. */
export interface HouseField {
  name: string;
  kind: "word" | "number" | "money" | "odds";
  says?: string | Money | Word;
  choices: FieldChoice[];
}

export interface StudioFile {
  name: string;
  rules: string;
  fields: HouseField[];
  options: HouseField[];
  /** Houses and rule files that it can be compared under; none at a table that goes on. */
  other_rules: string[];
  /** Other installations that may play it, by their paths. */
  other_settings: string[];
  /** Rounds to expect lie beside it. */
  has_expectation: boolean;
  left_out: number;
  cameras: string[];
  /** What reached the table can be asked for, step by step. */
  has_seen: boolean;
  /** False of devices that were recorded without a table. */
  has_table: boolean;
  steps: StepMark[];
  findings: Finding[];
}

export interface StudioFileRow {
  name: string;
  kind: "feed" | "journal" | "recording";
}

/** A file that is being opened; `of` 0: it is still read. `first` is the first step of a feed. */
export interface Opening {
  done: number;
  of: number;
  first: StepView | null;
}

export interface StepView {
  view: TableView;
  line: number;
  by: string;
  /** The line as a sentence; null where it has none. */
  says: Words | null;
  entry: [string, string | Money | Chips][];
  said: Words[];
  rules: string[];
}

export interface Received {
  source: string;
  before_ms: number;
  hex: string;
  text: string;
  told: string[];
  troubles: Words[];
}

export interface Seen {
  state: "none" | "reading" | "ready";
  /** `heat` is the path of the reader's heat map of that picture. */
  cameras: { before_ms: number; heat: string; view: CameraView }[];
  received: Received[];
  hidden: boolean;
}

export interface Difference {
  round: number;
  step: number | null;
  kind: string;
  box: number;
  seat: number;
  hand: number;
  code: string;
  expected: (string | Money | Word)[] | null;
  actual: (string | Money | Word)[] | null;
}

export interface MovedMoney {
  box: number;
  seat: number;
  staked: string;
  returned: string;
  staked_if: string;
  returned_if: string;
}

export interface WhatIf {
  money: MovedMoney[];
  differences: Difference[];
  left_out: number;
}

export interface Baseline {
  changes: { round: number; key: string; was: string | Money | Word; would: string | Money | Word }[];
  left_out: number;
}

export interface Accepted {
  path: string;
  rounds: number;
  values: number;
  left_out: number;
}

export interface Kept {
  path: string;
  lines: number;
  lines_before: number;
}

export interface Answer<T> {
  answer: T | null;
  /** Why there is none. */
  refusal: Words | null;
}

/** What the tester's server makes of a body, or why it refuses. */
export async function post<T>(path: string, body: object): Promise<Answer<T>> {
  const answer = await fetch(`/api/studio${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return answered(answer, { code: "studio.failed", params: {} });
}

async function answered<T>(answer: Response, failed: Words): Promise<Answer<T>> {
  if (answer.ok) return { answer: (await answer.json()) as T, refusal: null };
  return { answer: null, refusal: answer.status === 409 ? ((await answer.json()) as Words) : failed };
}

/** A file, or the one round that is asked for; or why it cannot be opened. */
export async function openFile(number: number): Promise<Answer<StudioFile>> {
  const code = playedRound ? "studio.round_failed" : "studio.failed";
  const answer = await fetch(`/api/${playedRound ? "played" : "studio"}/${number}`);
  return answered(answer, { code, params: { round: number } });
}

/** The one round of a running table that the address asks for; null where files are listed. */
export const playedRound: number | null = Number(new URLSearchParams(location.search).get("round")) || null;

/** The answer of the server that has the files, or the rounds; null where it refuses. */
export async function ask<T>(path: string): Promise<T | null> {
  const answer = await fetch(`/api/${playedRound ? "played" : "studio"}${path}`);
  return answer.ok ? ((await answer.json()) as T) : null;
}
