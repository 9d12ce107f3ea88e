// What a screen keeps for itself: who works here, what is open, which answer is awaited. The table is the server's.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Act, type Person, Sender } from "./send";
import type { TableView, Words } from "./view";

const SENT_AFTER_MS = 100;
const TOAST_MS = 4000;

/** Whoever opened the page as a dealer: `/?dealer=D-17`. */
export function dealer(): Person {
  return {
    actor: new URLSearchParams(location.search).get("dealer") ?? "D-1",
    role: "dealer",
    session: null,
  };
}

export interface Commands {
  person: Person;
  setPerson: (person: Person) => void;
  sent: string | null;
  refusal: Words | null;
  /** `seq` is the table that the person decided on; without it, the one on the screen now. */
  run: (key: string, acts: readonly Act[], seq?: number) => Promise<boolean>;
}

/** Sends what a press means and shows how it was answered. */
export function useCommands(view: TableView | null): Commands {
  const [person, setPerson] = useState<Person>(dealer);
  const [sent, setSent] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Words | null>(null);
  const sender = useRef(new Sender());
  useEffect(() => {
    if (!refusal) return undefined;
    const timer = setTimeout(() => setRefusal(null), TOAST_MS);
    return () => clearTimeout(timer);
  }, [refusal]);

  const run = async (key: string, acts: readonly Act[], seq?: number): Promise<boolean> => {
    if (!view || acts.length === 0) return false;
    setRefusal(null);
    const slow = setTimeout(() => setSent(key), SENT_AFTER_MS);
    const answer = await sender.current.send(person, seq ?? view.seq, acts);
    clearTimeout(slow);
    setSent(null);
    setRefusal(answer.refusal);
    if (answer.refusal?.code === "refused.SIGN_IN_NEEDED") setPerson(dealer());
    return answer.refusal === null;
  };
  return { person, setPerson, sent, refusal, run };
}

export interface Selection {
  box: number;
  seat: number;
}

/** The bettor whose stake the chips go to. A second tap on the same box goes on to those who bet behind. */
export function nextSelection(current: Selection | null, box: number, seats: number): Selection {
  if (current?.box !== box) return { box, seat: 0 };
  return { box, seat: (current.seat + 1) % Math.max(seats, 1) };
}
