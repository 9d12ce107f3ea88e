// What every page keeps up to date: who is signed in, and the table as it is now.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../view";
import { paced } from "./paced";
import { fetchSession } from "./session";
import { type LiveTable, NOT_YET, TableSocket } from "./socket";

const ASK_AGAIN_MS = 1000;

/** Who is signed in, asked again and again until the server says so, and whenever `ask` is called. */
export function useSession(): { session: SessionView | null; ask: () => void } {
  const [session, setSession] = useState<SessionView | null>(null);
  const ask = useCallback((): void => {
    void fetchSession().then((said) => (said ? setSession(said) : setTimeout(ask, ASK_AGAIN_MS)));
  }, []);
  useEffect(ask, [ask]);
  return { session, ask };
}

/** The table as it is now, from the first sign-in on; `lost` is called when the server ends the socket while
 *  somebody is signed in. The end of a socket may come long after a sign-out, when the next person signs in. */
export function useTable(wanted: boolean, lost: () => void): LiveTable {
  const [table, setTable] = useState<LiveTable>(NOT_YET);
  const socket = useRef<TableSocket | null>(null);
  const mayLose = useRef(wanted);
  mayLose.current = wanted;
  useEffect(() => {
    if (!wanted) return;
    if (socket.current) socket.current.again();
    else socket.current = new TableSocket(paced(setTable), () => mayLose.current && lost());
  }, [wanted, lost]);
  return table;
}
