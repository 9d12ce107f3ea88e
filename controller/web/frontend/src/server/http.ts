// What a page asks the server over HTTP: addresses, answers as JSON, commands, who is signed in.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type {
  ClosingCount,
  CommandBody,
  ObserveAct,
  PersonView,
  Preview,
  RulingFacts,
  SessionView,
  SignInAnswer,
  SignInBody,
  Words,
} from "../view";

const PIT_PAGE = "/pit";

/** The address of the pit's page, or of the one among its tables that this address names; "" on other pages. */
export const baseOf = (path: string): string => /^\/pit(?:\/tables\/[^/]+)?(?=\/|$)/.exec(path)?.[0] ?? "";

/** The address of the pit's page for the table that this page is about. */
export const pitPage = (): string => baseOf(location.pathname) || PIT_PAGE;

/** The address of the pit's page for another of its tables. */
export const pitPageOf = (table: string): string => `${PIT_PAGE}/tables/${encodeURIComponent(table)}`;

/** A path of the server as this page asks for it. */
export const at = (path: string): string => baseOf(location.pathname) + path;

/** The page of one round, at a step of it or at a box. */
export function roundAddress(round: number, place: { step?: number; box?: number } = {}): string {
  const query = new URLSearchParams(
    Object.entries(place).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
  return `${pitPage()}/rounds/${round}${query && `?${query}`}`;
}

const PATIENCE_MS = 20_000;
const AGAIN_MS = 2000;

/**
 * The newest answer of a path, null until it comes; asked again whenever `after` has changed and the last one is in, and
 * not more often than every `paceMs`. With `after` null it is not asked for, and the last answer stays.
 */
export function useFetched<T>(
  own: string,
  after: number | null,
  paceMs = 0,
  patienceMs = PATIENCE_MS,
): T | null {
  // Of another table nothing is known yet, be it asked for the same.
  const path = at(own);
  const [found, setFound] = useState<{ path: string; after: number; body: T } | null>(null);
  const [waits, setWaits] = useState("");
  const stale = found?.path !== path || found.after !== after;
  // In a layout effect: another one waits until the page has been painted.
  useLayoutEffect(() => {
    if (!stale || after === null || waits === path) return;
    setWaits(path);
    void fetchJson<T>(own, patienceMs).then((body) => {
      if (body) setFound({ path, after, body });
      setTimeout(() => setWaits((now) => (now === path ? "" : now)), body ? paceMs : AGAIN_MS);
    });
  }, [own, path, after, stale, waits, paceMs, patienceMs]);
  return found?.path === path ? found.body : null;
}

/** The answer of a path as JSON, of this page's table or that of the page `base`; null where there is none. */
export async function fetchJson<T>(path: string, patienceMs = PATIENCE_MS, base = at("")): Promise<T | null> {
  try {
    const answer = await fetch(base + path, { signal: AbortSignal.timeout(patienceMs) });
    return answer.ok ? ((await answer.json()) as T) : null;
  } catch {
    return null;
  }
}

/**
 * Asks until there is an answer, which `take` gets; no later than the function that comes back is called. On a slow
 * network a dialog fills late, and is never left empty.
 */
export function askUntilAnswered<T>(ask: () => Promise<T | null>, take: (found: T) => void): () => void {
  let wanted = true;
  let again: ReturnType<typeof setTimeout> | undefined;
  const once = (): void =>
    void ask().then((found) => {
      if (!wanted) return;
      if (found === null) again = setTimeout(once, AGAIN_MS);
      else take(found);
    });
  once();
  return () => {
    wanted = false;
    clearTimeout(again);
  };
}

/**
 * The facts of the table at `seq`, with those of the closed round of this number; null until they come, asked for again
 * when the table moves.
 */
export function useFacts(seq: number, round: number): RulingFacts | null {
  const [facts, setFacts] = useState<RulingFacts | null>(null);
  useEffect(
    () => askUntilAnswered(() => fetchJson<RulingFacts>(`/api/facts?after=${seq}&round=${round}`), setFacts),
    [seq, round],
  );
  return facts;
}

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
interface Answer {
  seq: number | null;
  refusal: Words | null;
}

function refused(code: string, params: Words["params"] = {}): Answer {
  return { seq: null, refusal: { code, params } };
}

/** Sends JSON, to the table of this page, or to that of the page that `base` is the address of. */
async function post(path: string, body: unknown, base = at("")): Promise<Response> {
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
async function jsonOf<T>(answer: Response): Promise<T | null> {
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

/** What somebody signs in for: this screen, beside its dealer, one act, or as the second person of one. */
export type At = NonNullable<SignInBody["at"]>;

/** How somebody signs in. */
type Credentials = { actor: string; pin: string } | { card: string };

/** Who has signed in, or why not. */
interface SignInResult {
  answer: SignInAnswer | null;
  refusal: Words | null;
}

/** Asks who is signed in; null where the server does not say. */
export async function fetchSession(): Promise<SessionView | null> {
  try {
    const answer = await fetch(at("/api/session"), { signal: AbortSignal.timeout(5000) });
    return answer.ok ? await jsonOf<SessionView>(answer) : null;
  } catch {
    return null;
  }
}

/** Signs a person in, at this page or at another one of the table; a refusal says why not. */
export async function signIn(purpose: At, who: Credentials, page = ""): Promise<SignInResult> {
  try {
    const answer = await post(`${page}/api/session`, { at: purpose, ...who });
    const body = await jsonOf<SignInAnswer & Words>(answer);
    if (answer.ok && body) return { answer: body, refusal: null };
    const refusal = { code: body?.code ?? "ui.not_understood", params: body?.params ?? {} };
    return { answer: null, refusal };
  } catch {
    return { answer: null, refusal: { code: "ui.no_answer_sign_in", params: {} } };
  }
}

/** Signs the person of the screen, or of the pit beside him, out of every screen of the table. */
export async function signOut(seat: "screen" | "pit"): Promise<void> {
  try {
    await fetch(at(`/api/session?at=${seat}`), { method: "DELETE", signal: AbortSignal.timeout(5000) });
  } catch {
    // The session ends by itself; whoever looks at the screen is told that it is not live.
  }
}

/** Who the screen's own person is in its commands; null where somebody has to sign in. */
export function homeOf(session: SessionView): Person | null {
  const person = session.screen ?? session.guest;
  return person && { actor: person.id, role: lineRole(person), grant: null };
}

/** Whether somebody may press what the table shows; the others look on. */
export function mayAct({ role }: PersonView): boolean {
  return role !== "surveillance";
}

function lineRole({ role }: PersonView): Person["role"] {
  // The administrator lifts what the program's own files hold, at the pit's side of the screen.
  return role === "supervisor" || role === "pit_manager" || role === "administrator" ? "pit" : "dealer";
}
