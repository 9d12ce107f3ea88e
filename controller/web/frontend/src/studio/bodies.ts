// What the tester's server is asked.
import type { StepMark, StudioFileView, Words } from "../view";

/** Rows of the time line, from the top. */
export const LANES: readonly StepMark["lanes"][number][] = [
  "shoe",
  "devices",
  "people",
  "engine",
  "holds",
  "money",
];

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
export async function openFile(number: number): Promise<Answer<StudioFileView>> {
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
