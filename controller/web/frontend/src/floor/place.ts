// Where on the pit's page somebody is: every place has an address of its own.
import { useCallback, useEffect, useState } from "preact/hooks";
import { baseOf, pitPage } from "../server/base";

/** The pages of the pit: all tables of the floor, one of them, the rounds of the day, one round, the record, the table's money, the figures, the shift's report. */
export type PageName = "floor" | "tables" | "rounds" | "round" | "record" | "books" | "figures" | "report";

/** A page, what on it is looked at (a round's number), and where in that. */
export interface Place {
  /** The address of the page of its table. */
  base: string;
  page: PageName;
  what: string;
  query: URLSearchParams;
}

/** The place that an address names; the floor where it names none. */
export function placeOf(pathname: string, search: string): Place {
  const base = baseOf(pathname);
  const [, first = "", what = ""] = pathname.slice(base.length).split("/");
  const query = new URLSearchParams(search);
  const known = decodeURIComponent(what);
  if (first === "rounds") return { base, page: known ? "round" : "rounds", what: known, query };
  const page =
    first === "floor" || first === "record" || first === "books" || first === "figures" || first === "report"
      ? first
      : "tables";
  return { base, page, what: known, query };
}

/** The address of a place at this page's table or another one; an empty query value is left out. */
export function addressOf(
  page: PageName,
  what = "",
  query: Record<string, string> = {},
  base = pitPage(),
): string {
  const folder = {
    floor: "/floor",
    tables: "",
    rounds: "/rounds",
    round: "/rounds",
    record: "/record",
    books: "/books",
    figures: "/figures",
    report: "/report",
  };
  const path = base + folder[page];
  const kept = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return path + (what && `/${encodeURIComponent(what)}`) + (kept && `?${kept}`);
}

/** Goes to another address of the page; `instead` of the present one where it only says more of it. */
export type Go = (address: string, instead?: boolean) => void;

/** The present place, kept in the address bar. */
export function usePlace(): [Place, Go] {
  const [place, setPlace] = useState(() => placeOf(location.pathname, location.search));
  useEffect(() => {
    const back = (): void => setPlace(placeOf(location.pathname, location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const go = useCallback<Go>((address, instead = false) => {
    history[instead ? "replaceState" : "pushState"](null, "", address);
    setPlace(placeOf(location.pathname, location.search));
  }, []);
  return [place, go];
}
