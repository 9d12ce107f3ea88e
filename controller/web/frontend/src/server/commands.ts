// What this screen says to the server: commands, one after the other, and previews.

import type { ClosingCount, CommandBody, ObserveAct, Preview, Words } from "../view";
import { at } from "./base";

/** One thing that a press may ask for. */
export type Act = CommandBody["act"];

/** A fact that a person states, as the feed has it. */
export type Observation = ObserveAct["obs"];

/** Who sends, as the server will find by itself; `grant` is a pit user's PIN for one act. */
export interface Person {
  actor: string;
  role: CommandBody["role"];
  grant: string | null;
}

/** The sequence number that a command led to, or why it was refused. */
export interface Answer {
  seq: number | null;
  refusal: Words | null;
}

function refused(code: string, params: Words["params"] = {}): Answer {
  return { seq: null, refusal: { code, params } };
}

/** Sends JSON, to the table of this page, or to that of the page that `base` is the address of. */
export async function post(path: string, body: unknown, base = at("")): Promise<Response> {
  return fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
}

function freshId(): string {
  // randomUUID is missing where a tablet reaches the table over plain http.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** The last command that nobody answered: said again, it is the same one, which the table takes once. */
let unanswered: { act: string; id: string; at: number } | null = null;
const SAID_AGAIN_MS = 60_000;

/** A stop is a new one each time: somebody may have lifted the last one meanwhile, and two of them do no harm. */
const stops = (act: Act): boolean =>
  act.do === "freeze" || (act.do === "observe" && act.obs.obs === "freeze");

function idOf(act: string): string {
  const known = unanswered;
  unanswered = null;
  return known && known.act === act && Date.now() - known.at < SAID_AGAIN_MS ? known.id : freshId();
}

async function sendOne(
  person: Person,
  seq: number,
  act: Act,
  second: string | null,
  base: string,
): Promise<Answer> {
  const said = `${person.actor} ${JSON.stringify(act)}`;
  const body: CommandBody = { command_id: idOf(said), expected_seq: seq, ...person, second, act };
  let answer: Response;
  try {
    answer = await post("/api/commands", body, base);
  } catch {
    if (!stops(act)) unanswered = { act: said, id: body.command_id, at: Date.now() };
    return refused("ui.no_answer");
  }
  if (answer.status === 422) return refused("ui.not_understood");
  const answered = await jsonOf<{ seq: number } & Words>(answer);
  if (!answered) return refused("ui.other", { code: `HTTP ${answer.status}` });
  return answer.ok ? { seq: answered.seq, refusal: null } : refused(answered.code, answered.params);
}

/** The body of an answer; null where it is no JSON, as a server's own error pages are. */
export async function jsonOf<T>(answer: Response): Promise<T | null> {
  try {
    return (await answer.json()) as T;
  } catch {
    return null;
  }
}

/** Sends commands in the order in which the keys were pressed: the next one waits for the answer to the last. */
export class CommandQueue {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Sends acts in order and stops at the first refusal. `seq` is what the person looked at, `second` the grant of
   * another person who signs for it, `base` the page of the table.
   */
  send(
    person: Person,
    seq: number,
    acts: readonly Act[],
    second: string | null = null,
    // The page may go to another table while the last answer is awaited.
    base = at(""),
  ): Promise<Answer> {
    const run = this.last.then(() => this.inOrder(person, seq, acts, second, base));
    this.last = run;
    return run;
  }

  private async inOrder(
    person: Person,
    seq: number,
    acts: readonly Act[],
    second: string | null,
    base: string,
  ): Promise<Answer> {
    let answer: Answer = { seq, refusal: null };
    for (const act of acts) {
      answer = await sendOne(person, answer.seq ?? seq, act, second, base);
      if (answer.refusal) break;
    }
    return answer;
  }
}

/** What a fact would change after those in `first`, worked out by the server and stored nowhere; null where it does not say. */
export async function preview(obs: Observation, first: readonly Observation[] = []): Promise<Preview | null> {
  try {
    const answer = await post("/api/preview", { obs, first });
    return answer.ok ? ((await answer.json()) as Preview) : null;
  } catch {
    return null;
  }
}

/** The cards that the shoe's closing count names; null where the server does not tell this person. */
export async function closingCount({ grant }: Person): Promise<ClosingCount | null> {
  try {
    const answer = await post("/api/closing", { grant });
    return answer.ok ? ((await answer.json()) as ClosingCount) : null;
  } catch {
    return null;
  }
}
