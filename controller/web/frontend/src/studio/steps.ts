// The steps of a file as the tester's page reads them: bodies of the server, addresses, causes, stepping.

import { useEffect } from "preact/hooks";
import { firstCard } from "../floor/place";
import type { I18n } from "../i18n/i18n";
import type { ChipStack, Finding, Money, StepMark, StudioFileView, Words } from "../view";

/** Rows of the time line, from the top. */
export const LANES: readonly StepMark["lanes"][number][] = [
  "shoe",
  "devices",
  "people",
  "engine",
  "holds",
  "money",
];

interface Answer<T> {
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

export interface Cause {
  finding: Finding;
  /** What was said later in the same round, and the same sentence in other rounds. */
  follows: Finding[];
}

/** One cause for each round, one for what was inferred: a shift has hundreds of those, and none is a fault. */
export function causesOf(findings: readonly Finding[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const finding of findings) {
    const key = finding.weight === 0 ? "inferred" : String(finding.round);
    const cause = causes.get(key);
    if (!cause) causes.set(key, { finding, follows: [] });
    else if (finding.weight > cause.finding.weight) {
      cause.follows.unshift(cause.finding);
      cause.finding = finding;
    } else cause.follows.push(finding);
  }
  return [...causes.values()];
}

/** "Box" for "box"; a field that no text is known of stays as it is written in the file. */
export const fieldName = (name: string, i18n: I18n): string =>
  i18n.knows(`field.${name}`) ? i18n.text(`field.${name}`) : name;

/** What stands in a field in the words of the table where it is one of a few words: "cœur", "rester". */
export function fieldValue(name: string, value: string | Money | ChipStack, i18n: I18n): string {
  if (typeof value === "object") return i18n.value(value);
  if (name === "p") return i18n.text("ui.percent", { percent: i18n.number(100 * Number(value), 1) });
  const key = name === "suit" ? `ui.suit_${value}` : `${name === "by" ? "who" : name}.${value}`;
  return i18n.knows(key) ? i18n.text(key) : value;
}

/** "Stake 1, Returned" for "bets[0].returned", the path of a value in a round. */
export const pathName = (path: string, i18n: I18n): string =>
  path
    .split(".")
    .map((part) => {
      const [name = "", row] = part.replace("]", "").split("[");
      return row === undefined ? fieldName(name, i18n) : `${fieldName(name, i18n)} ${Number(row) + 1 || row}`;
    })
    .join(", ");

/** 2001 in microseconds: a feed that tells no time of its own counts from 1970. */
const KNOWN_US = 1e15;

/** "22:41:07", or "4:06:55" after the beginning. */
export function moment(t: number, utcUs: number | undefined, i18n: I18n): string {
  return utcUs !== undefined && utcUs > KNOWN_US ? i18n.clock(utcUs, true) : elapsed(t);
}

/** Seconds as hours, minutes and seconds. */
export function elapsed(t: number): string {
  const whole = Math.floor(t);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** A browser refuses more than some hundred changes of its address in half a minute. */
const PAUSE_MS = 300;

const asked = new URLSearchParams(location.search);

/** The name of the file that the address asks for; null where it asks for none. */
export const askedFile = asked.get("file");

/**
 * The step to begin with: the one that the address names, else the first card.
 * Before a card nothing lies on the table, and nobody sees what he has opened.
 */
export function firstStep(file: StudioFileView): number {
  const { name, steps } = file;
  const step = Number(asked.get("step"));
  const named = asked.has("step") && (askedFile === null || askedFile === name);
  if (named && step >= 0 && step < steps.length) return step;
  return firstCard(file);
}

/** Keeps the place in the address while somebody goes through a file. */
export function usePlace(name: string, at: number): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      query.set("file", name);
      query.set("step", String(at));
      history.replaceState(null, "", `${location.pathname}?${query}`);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name, at]);
}

/** The new value, with the objects of the old one wherever they say the same; the old one where all of it does. */
export function sharing<T>(was: unknown, now: T): T {
  if (Array.isArray(was) && Array.isArray(now)) {
    const parts = now.map((part, at) => sharing(was[at], part));
    const same = was.length === parts.length && parts.every((part, at) => part === was[at]);
    return (same ? was : parts) as T;
  }
  if (!isObject(was) || !isObject(now)) return now;
  const names = Object.keys(now);
  const parts = Object.fromEntries(names.map((name) => [name, sharing(was[name], now[name])]));
  const same = Object.keys(was).length === names.length && names.every((name) => parts[name] === was[name]);
  return (same ? was : parts) as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The step that a key leads to from `at`; null for a key that leads nowhere. */
export function target(file: StudioFileView, at: number, key: string, shift: boolean): number | null {
  const { steps, findings } = file;
  const last = steps.length - 1;
  switch (key) {
    case "ArrowRight":
      return shift ? roundAfter(file, at) : Math.min(at + 1, last);
    case "ArrowLeft":
      return shift ? roundBefore(file, at) : Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    case "f":
      return pictureFrom(file, at, shift);
    case "h":
      return following(file, at, (_, step) => step.lanes.includes("holds"));
    case "d":
      return following(file, at, (_, step) => step.what === "decision");
    case "n":
    case "p": {
      // Each step once: what follows from one line can be named in several places of the list.
      const places = [...new Set(findings.map((finding) => finding.step))];
      const here = places.indexOf(at);
      const next = key === "n" ? here + 1 : here < 0 ? places.length - 1 : here - 1;
      return places[next] ?? null;
    }
    default:
      return null;
  }
}

function roundAfter({ steps }: StudioFileView, at: number): number {
  const next = steps.findIndex((step, index) => index > at && step.round !== steps[at]?.round);
  return next < 0 ? steps.length - 1 : next;
}

/** The beginning of this round, or of the one before where it is there already. */
function roundBefore({ steps }: StudioFileView, at: number): number {
  const round = steps[Math.max(at - 1, 0)]?.round;
  return Math.max(
    steps.findIndex((step) => step.round === round),
    0,
  );
}

/** The next step before which a camera's picture was recorded, or the one before; beyond the last the first again. */
function pictureFrom({ steps }: StudioFileView, at: number, back: boolean): number | null {
  const pictured = steps.flatMap((step, index) => (step.cameras.length > 0 ? [index] : []));
  const next = back ? pictured.findLast((step) => step < at) : pictured.find((step) => step > at);
  return next ?? pictured.at(back ? -1 : 0) ?? null;
}

type Wanted = (index: number, step: StudioFileView["steps"][number]) => boolean;

/** The next step that is wanted, from the beginning again after the last. */
function following({ steps }: StudioFileView, at: number, wanted: Wanted): number | null {
  const next = steps.findIndex((step, index) => index > at && wanted(index, step));
  if (next >= 0) return next;
  const first = steps.findIndex((step, index) => wanted(index, step));
  return first < 0 ? null : first;
}
