// Commands to the table: one after the other, each with its own id and the sequence it was based on.
import type { CommandBody, Preview, Words } from "./view";

export type Act = CommandBody["act"];

/** A fact that a person states, as of the feed. */
export type Obs = Record<string, unknown>;
export type Role = CommandBody["role"];

export interface Person {
  actor: string;
  role: Role;
  session: string | null;
}

export interface Answer {
  seq: number | null;
  refusal: Words | null;
}

interface Refusal {
  code: string;
  params: Words["params"];
}

function refused(code: string, params: Words["params"] = {}): Answer {
  return { seq: null, refusal: { code, params } };
}

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(path, {
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

async function sendOne(person: Person, seq: number, act: Act): Promise<Answer> {
  const body: CommandBody = { command_id: freshId(), expected_seq: seq, ...person, act };
  let answer: Response;
  try {
    answer = await post("/api/commands", body);
  } catch {
    return refused("ui.no_answer");
  }
  if (answer.ok) return { seq: ((await answer.json()) as { seq: number }).seq, refusal: null };
  if (answer.status === 422) return refused("ui.not_understood");
  const refusal = (await answer.json()) as Refusal;
  return refused(refusal.code, refusal.params);
}

export class Sender {
  private last: Promise<unknown> = Promise.resolve();

  /** Sends acts in order and stops at the first refusal. `seq` is what the person looked at. */
  send(person: Person, seq: number, acts: readonly Act[]): Promise<Answer> {
    const run = this.last.then(() => this.inOrder(person, seq, acts));
    this.last = run;
    return run;
  }

  private async inOrder(person: Person, seq: number, acts: readonly Act[]): Promise<Answer> {
    let answer: Answer = { seq, refusal: null };
    for (const act of acts) {
      answer = await sendOne(person, answer.seq ?? seq, act);
      if (answer.refusal) break;
    }
    return answer;
  }
}

export async function preview(obs: Obs): Promise<Preview | null> {
  try {
    const answer = await post("/api/preview", { obs });
    return answer.ok ? ((await answer.json()) as Preview) : null;
  } catch {
    return null;
  }
}

/** Signs a person in at this screen; a refusal says why not. */
export async function signIn(
  actor: string,
  pin: string,
): Promise<{ session: string | null; refusal: Words | null }> {
  try {
    const answer = await post("/api/session", { actor, pin });
    const body = (await answer.json()) as { session: string } & Refusal;
    if (answer.ok) return { session: body.session, refusal: null };
    return { session: null, refusal: { code: body.code ?? "ui.not_understood", params: body.params ?? {} } };
  } catch {
    return { session: null, refusal: { code: "ui.no_answer", params: {} } };
  }
}
