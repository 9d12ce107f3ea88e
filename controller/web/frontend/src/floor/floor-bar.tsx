// The top bar of the pit's page: its places, the shift in figures, who watches and until when, language, time.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "../i18n/i18n";
import { signOut } from "../server/session";
import type { SessionView, TableView } from "../view";
import { Link } from "./link";
import { addressOf, type Go, type PageName, type Place } from "./place";
import { useShift } from "./shift";
import { SumFigures } from "./tiles";

interface Props {
  view: TableView;
  session: SessionView;
  place: Place;
  go: Go;
  onLanguage: (language: Language) => void;
  onScreen: () => void;
  onSession: () => void;
}

const HOUR_S = 3600;
const PAGES: readonly PageName[] = ["floor", "tables", "rounds", "record", "books", "figures", "report"];

/** The places first: the one that is open is marked. */
export function FloorBar({ view, session, place, go, onLanguage, onScreen, onSession }: Props) {
  const i18n = useI18n();
  const { tiles, sum } = useShift();
  // A page about all tables is one of several tables.
  const pages = PAGES.filter((page) => page !== "floor" || tiles.length > 1 || place.page === page);
  // The rounds and figures of all tables are theirs.
  const here = place.page === "floor" && place.what ? place.what : place.page;
  const alerts = tiles.flatMap(({ waits }) => waits).filter((one) => one.seen_by === "").length;
  const leave = (): void => void signOut("screen").then(onSession);
  return (
    <header class="floor-top row nowrap ground-1 edge-below">
      <nav class="flex whole-height" aria-label={i18n.text("ui.pages")}>
        {pages.map((page) => (
          <Link
            key={page}
            to={addressOf(page)}
            go={go}
            name={page}
            class="tab"
            here={page === (here === "round" ? "rounds" : here)}
          >
            {i18n.text(`ui.page_${page}`)}
            {page === "floor" && here !== page && alerts > 0 && <b class="differs">{i18n.number(alerts)}</b>}
          </Link>
        ))}
      </nav>
      {here === "floor" && sum && <SumFigures sum={sum} />}
      <span class="spring" />
      <span class="who soft">
        <b>{session.screen?.id}</b> <LocksIn session={session} onSession={onSession} />
      </span>
      <button type="button" class="top-key still" data-top="sign-out" onClick={leave}>
        {i18n.text("ui.sign_out")}
      </button>
      <button
        type="button"
        class="top-key still"
        data-top="screen"
        aria-label={i18n.text("ui.screen_title")}
        onClick={onScreen}
      >
        <span aria-hidden="true">⚙</span>
      </button>
      <select
        class="language"
        aria-label={i18n.text("ui.language")}
        value={i18n.language}
        onChange={(event) => onLanguage(event.currentTarget.value as Language)}
      >
        {LANGUAGES.map((language) => (
          <option key={language} value={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
      <b class="clock">{i18n.clock(view.at_utc_us)}</b>
    </header>
  );
}

/** How long the page stays open if nobody touches it; it asks again when that is over. */
function LocksIn({ session, onSession }: Pick<Props, "session" | "onSession">) {
  const i18n = useI18n();
  const [left, setLeft] = useState(session.left_s);
  useEffect(() => {
    const began = performance.now();
    const tick = (): void => {
      const now = Math.max(0, session.left_s - Math.floor((performance.now() - began) / 1000));
      setLeft(now);
      if (now === 0) onSession();
    };
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [session, onSession]);
  // A page for one browser of its own machine stays open all day: a count of its minutes says nothing.
  if (left > HOUR_S) return null;
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  return <span class="locks">{i18n.text("ui.locks_in", { time })}</span>;
}
