// What the tester's server says; the same as `controller/studio/bodies.py`.
import type { TableView, Words } from "../view";

export const LANES = ["shoe", "devices", "people", "engine", "holds", "money"] as const;
export type Lane = (typeof LANES)[number];

export interface StepMark {
  t: number;
  round: number;
  line: number;
  what: string;
  lanes: Lane[];
}

export interface Finding {
  step: number;
  round: number;
  weight: number;
  text: Words;
}

export interface StudioFile {
  name: string;
  rules: string;
  left_out: number;
  steps: StepMark[];
  findings: Finding[];
}

export interface StudioFileRow {
  name: string;
  kind: "feed" | "journal" | "recording";
}

export interface StepView {
  view: TableView;
  line: number;
  by: string;
  entry: [string, string][];
  said: Words[];
  rules: string[];
}

/** The answer of the tester's server; null where it refuses. */
export async function ask<T>(path: string): Promise<T | null> {
  const answer = await fetch(`/api/studio${path}`);
  return answer.ok ? ((await answer.json()) as T) : null;
}
