// What the server of labels is asked.
import type { Words } from "../view";

export interface Answer<T> {
  answer: T | null;
  refusal: Words | null;
}

/** What the server answers, or why it refuses; with a body it is told something. */
export async function labels<T>(path: string, body?: object): Promise<Answer<T>> {
  const said = await fetch(`/api/labels${path}`, {
    method: body ? "POST" : "GET",
    headers: { "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (said.ok) return { answer: (await said.json()) as T, refusal: null };
  if (said.status === 409) return { answer: null, refusal: (await said.json()) as Words };
  return { answer: null, refusal: { code: "label.failed", params: {} } };
}
