// All tables of the floor: their tiles, the tables and dealers side by side, and the rounds of all of them.
import { useI18n } from "../i18n/context";
import { pitPageOf } from "../server/base";
import { useFetched } from "../server/fetched";
import type { FloorFigures, FloorRow } from "../view";
import { Heads } from "./heads";
import { Link } from "./link";
import { Patterns, PHASES } from "./patterns";
import { addressOf, type Go, type Place } from "./place";
import { RoundsPage } from "./rounds-page";
import { useShift } from "./shift";
import { Tiles } from "./tiles";

/** A floor of many tables is added up anew each time. */
const FIGURES_MS = 5000;
const VIEWS = ["tables", "figures", "rounds"] as const;

interface Props {
  table: string;
  seq: number;
  place: Place;
  go: Go;
}

/** What of the floor is looked at stands in the address. */
export function FloorPage({ table, seq, place, go }: Props) {
  const i18n = useI18n();
  const { tiles } = useShift();
  const shown = VIEWS.find((view) => view === place.what) ?? "tables";
  return (
    <div class="floor-page">
      <nav class="views" aria-label={i18n.text("ui.page_floor")}>
        {VIEWS.map((view) => (
          <Link
            key={view}
            to={addressOf("floor", view === "tables" ? "" : view)}
            go={go}
            name={`floor-${view}`}
            class={view === shown ? "tab on" : "tab"}
          >
            {i18n.text(`ui.page_${view}`)}
          </Link>
        ))}
      </nav>
      {shown === "tables" && (
        <main class="wall">
          <Tiles tiles={tiles} chosen={null} />
        </main>
      )}
      {shown === "figures" && <SideBySide seq={seq} />}
      {shown === "rounds" && <RoundsPage table={table} seq={seq} place={place} go={go} floor />}
    </div>
  );
}

function SideBySide({ seq }: { seq: number }) {
  const i18n = useI18n();
  const figures = useFetched<FloorFigures>("/api/floor", seq, FIGURES_MS);
  if (!figures) return <p class="quiet loading">{i18n.text("ui.loading")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <main class="page charts" tabIndex={0} aria-label={i18n.text("ui.page_figures")}>
      <figure data-pattern="tables">
        <table class="ledger-table">
          <Heads heads={HEADS} />
          <tbody>
            {figures.tables.map((row) => (
              <Row key={row.table} row={row} />
            ))}
          </tbody>
        </table>
      </figure>
      <Patterns found={figures.found} dated />
    </main>
  );
}

const HEADS = [
  "ui.table",
  "ui.tile_dealer",
  "ui.shift_rounds",
  "ui.tile_win",
  "ui.chart_expected",
  "ui.books_float",
  "ui.books_drop",
  "ui.ledger_difference",
  "ui.floor_disputes",
  "phase.waits",
  ...PHASES.filter((phase) => phase !== "waits").map((phase) => `phase.${phase}`),
];

function Row({ row }: { row: FloorRow }) {
  const i18n = useI18n();
  const money = (sum: { money: string } | null): string => (sum ? i18n.money(sum.money) : "–");
  const seconds = (spent: number): string => i18n.text("ui.seconds", { seconds: i18n.number(spent) });
  return (
    <tr data-floor-row={row.table} class={row.differences > 0 ? "differs" : ""}>
      <th scope="row">
        <a href={pitPageOf(row.table)}>{row.table}</a>
      </th>
      <td class="amount">{row.dealer || "–"}</td>
      <td class="amount">{i18n.number(row.rounds)}</td>
      <td class="amount">{row.unusual ? <b class="differs">! {money(row.win)}</b> : money(row.win)}</td>
      <td class="amount">{money(row.expected)}</td>
      <td class="amount">{money(row.float_now)}</td>
      <td class="amount">{money(row.drop)}</td>
      <td class="amount">
        {row.differences > 0 ? (
          <a href={`${pitPageOf(row.table)}/rounds?kind=differences`}>
            {i18n.number(row.differences)} · {money(row.too_much)}
          </a>
        ) : (
          "–"
        )}
      </td>
      <td class="amount">{i18n.number(row.disputes)}</td>
      <td class="amount">{seconds(row.waited)}</td>
      {PHASES.filter((phase) => phase !== "waits").map((phase) => (
        <td key={phase} class="amount">
          {seconds(Math.round(row.seconds[phase] ?? 0))}
        </td>
      ))}
    </tr>
  );
}
