// What the server of labels says; the same as `controller/studio/labelling/label_bodies.py`.
import type { Words } from "../view";

export type State = "differs" | "open" | "agrees" | "waits" | "unreadable";

export interface PictureRow {
  number: number;
  name: string;
  state: State;
  labelled: number;
  disagree: number;
}

export interface LabelFolder {
  pictures: PictureRow[];
  left: number;
}

export interface LabelCard {
  rank: string;
  suit: string;
  /** x and y of four corners, one after the other; none without an outline. */
  corners: number[];
}

export interface ReadCard extends LabelCard {
  percent: number;
  is_new: boolean;
}

export interface LabelPicture {
  number: number;
  name: string;
  state: State;
  stamp: string;
  /** 0 while the picture waits to be read. */
  width: number;
  height: number;
  cards: LabelCard[];
  read: ReadCard[];
  unclear: { x: number; y: number; reason: string }[];
  disagreements: { kind: "other" | "unlabelled" | "untold"; label: string; read: string }[];
  why: Words | null;
}

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
