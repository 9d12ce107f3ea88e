// Who works at this screen, and what became of the commands that were sent. The table itself is the server's.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Act, CommandQueue, type Person } from "../server/http";
import type { TableView, Words } from "../view";

const SENT_AFTER_MS = 100;
const REFUSAL_SHOWN_MS = 4000;

/** The person at this screen, and the way of every press to the table and back. */
export interface Commands {
  person: Person;
  setPerson: (person: Person) => void;
  /** The grant of a second person, who signs for the next act. */
  setSecond: (grant: string | null) => void;
  /** The key whose command has not been answered for a tenth of a second. */
  sent: string | null;
  /** Why the last command was refused, for some seconds. */
  refusal: Words | null;
  /**
   * Sends what a key means and says whether all of it was taken. `seq` is the table that the person decided on;
   * without it, the one on the screen now. `base` is the page of another table.
   */
  run: (key: string, acts: readonly Act[], seq?: number, base?: string) => Promise<boolean>;
  /** Sends what nobody has pressed: nothing of it, nor of its answer, is shown. */
  quietly: (acts: readonly Act[]) => Promise<void>;
  /** Shows why a press did nothing, for some seconds. */
  refuse: (why: Words) => void;
  /** Stops the table at once. */
  callPit: () => void;
}

/**
 * Sends what a press means and shows how it was answered. `home` is the screen's own person, who goes on after one act
 * of the pit.
 */
export function useCommands(view: TableView, home: Person, onSignInNeeded: () => void): Commands {
  const [person, setPerson] = useState<Person>(home);
  const second = useRef<string | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Words | null>(null);
  const queue = useRef(new CommandQueue());
  useEffect(() => {
    if (!refusal) return undefined;
    const timer = setTimeout(() => setRefusal(null), REFUSAL_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [refusal]);

  const run: Commands["run"] = async (key, acts, seq, base) => {
    if (acts.length === 0) return false;
    setRefusal(null);
    const slow = setTimeout(() => setSent(key), SENT_AFTER_MS);
    const answer = await queue.current.send(person, seq ?? view.seq, acts, second.current, base);
    clearTimeout(slow);
    setSent(null);
    second.current = null;
    if (answer.refusal) setRefusal(answer.refusal);
    const over = answer.refusal?.code === "refused.SIGN_IN_NEEDED";
    if (over) onSignInNeeded();
    if (over || (person.grant !== null && !answer.refusal)) setPerson(home);
    return answer.refusal === null;
  };
  const quietly = async (acts: readonly Act[]): Promise<void> => {
    await queue.current.send(person, view.seq, acts);
  };
  const callPit = (): void => void run("CALL_PIT", [{ do: "freeze", note: "" }]);
  const setSecond = (grant: string | null): void => {
    second.current = grant;
  };
  return { person, setPerson, setSecond, sent, refusal, run, quietly, refuse: setRefusal, callPit };
}
