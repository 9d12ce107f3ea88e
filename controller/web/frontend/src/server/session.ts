// Who is signed in at this screen: the server knows, by a cookie that no script can read.
import type { PersonView, SessionView, SignInAnswer, SignInBody, Words } from "../view";
import { at } from "./base";
import { jsonOf, type Person, post } from "./commands";

/** What somebody signs in for: this screen, beside its dealer, one act, or as the second person of one. */
export type At = NonNullable<SignInBody["at"]>;

/** How somebody signs in. */
export type Credentials = { actor: string; pin: string } | { card: string };

/** Who has signed in, or why not. */
export interface SignInResult {
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
