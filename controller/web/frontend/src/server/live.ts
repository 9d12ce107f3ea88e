// What every page keeps up to date: who is signed in, and the table as it is now.
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
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
  // Here and below in a layout effect: another one waits until the page has been painted.
  useLayoutEffect(ask, [ask]);
  return { session, ask };
}

/** What is known of a table, and the address of the page that it was heard at. */
type HeardTable = LiveTable & { base: string };

/** The table as it is now, from the first sign-in on; `lost` is called when the server ends the socket while
 *  somebody is signed in. The end of a socket may come long after a sign-out, when the next person signs in.
 *  With another `base` it is another table; until that is heard the last one stays, which is not live. */
export function useTable(wanted: boolean, lost: () => void, base = ""): HeardTable {
  const [heard, setHeard] = useState<HeardTable>({ ...NOT_YET, base });
  const socket = useRef<{ base: string; socket: TableSocket } | null>(null);
  const mayLose = useRef(wanted);
  mayLose.current = wanted;
  useLayoutEffect(() => {
    if (!wanted) return;
    const last = socket.current;
    if (last?.base === base) return last.socket.again();
    last?.socket.end();
    const show = paced((table: LiveTable) => setHeard({ ...table, base }));
    // Before its first view a table is not heard.
    const watch = (table: LiveTable): void => void (table.view && show(table));
    socket.current = { base, socket: new TableSocket(watch, () => mayLose.current && lost()) };
  }, [wanted, lost, base]);
  return heard.base === base ? heard : { ...heard, live: false };
}
