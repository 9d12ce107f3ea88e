// The shift in figures: one grid of panels, each with its newest figures in words above the drawing.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import { pitPageOf } from "../server/base";
import { useFetched } from "../server/fetched";
import type { FloorFigures, FloorRow, ShiftFigures } from "../view";
import { AllTables } from "./all-tables";
import { Chart } from "./chart";
import { Heads } from "./heads";
import { Patterns, PHASES, Rows, SeveralDays } from "./patterns";
import type { Go } from "./place";
import { useShift } from "./shift";

const WON = "#6cc4ff";
const EXPECTED = "#b4bec7";
const BAND = "#667480";
const UNUSUAL = "#ff5d8f";

/** Asked for again when the table moves; without a settled round there is no curve. */
export function FiguresPage({ table, go }: { table: string; go: Go }) {
  const i18n = useI18n();
  const { figures, tiles } = useShift();
  if (!figures) return <p class="quiet loading">{i18n.text("ui.loading")}</p>;
  const unusual = tiles.find((tile) => tile.table === table)?.beyond === "below";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <main class="page charts" tabIndex={0} aria-label={i18n.text("ui.page_figures")}>
      <AllTables page="figures" all={false} go={go} />
      {figures.rounds === 0 ? (
        <p class="quiet">{i18n.text("ui.chart_none")}</p>
      ) : (
        <Win figures={figures} unusual={unusual} />
      )}
      <Rota figures={figures} />
      {figures.rounds > 0 && (
        <>
          <OverStakes figures={figures} />
          <Pace figures={figures} />
        </>
      )}
      <Holds figures={figures} />
      <Reads figures={figures} />
      <Patterns found={figures.patterns} />
      <SeveralDays />
    </main>
  );
}

/** A floor of many tables is added up anew each time. */
const FIGURES_MS = 5000;

/** The tables and dealers of the floor side by side. */
export function FloorFiguresPage({ seq, go }: { seq: number; go: Go }) {
  const i18n = useI18n();
  const figures = useFetched<FloorFigures>("/api/floor", seq, FIGURES_MS);
  if (!figures) return <p class="quiet loading">{i18n.text("ui.loading")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <main class="page charts" tabIndex={0} aria-label={i18n.text("ui.page_figures")}>
      <AllTables page="figures" all go={go} />
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

interface Props {
  figures: ShiftFigures;
}

interface FigureProps {
  name: string;
  now: ComponentChildren;
  children?: ComponentChildren;
}

function Figure({ name, now, children }: FigureProps) {
  const i18n = useI18n();
  return (
    <figure class="panel" data-chart={name}>
      <figcaption>
        <b>{i18n.text(`ui.chart_${name}`)}</b> {now}
      </figcaption>
      {children}
    </figure>
  );
}

const last = (values: readonly number[]): number => values.at(-1) ?? 0;
/** A curve goes on until now. */
const untilNow = (values: readonly number[]): number[] => [...values, last(values)];

/** The win with its band; the lower edge of the band is where a table counts as unusual. */
function Win({ figures: { win, now_s }, unusual }: Props & { unusual: boolean }) {
  const i18n = useI18n();
  const amount = (value: number): string => i18n.sum(value, false);
  const known = win.expected.length > 0;
  const edge = (sign: 1 | -1) =>
    untilNow(win.expected.map((value, index) => value + sign * (win.band[index] ?? 0)));
  const won = amount(last(win.won));
  const now = known
    ? i18n.text("ui.chart_win_now", {
        won,
        expected: amount(last(win.expected)),
        low: amount(last(edge(-1))),
        high: amount(last(edge(1))),
      })
    : i18n.text("ui.chart_win_only", { won });
  const lines = [
    { label: i18n.text("ui.chart_won"), color: WON, values: untilNow(win.won) },
    ...(known
      ? [
          {
            label: i18n.text("ui.chart_expected"),
            color: EXPECTED,
            dash: [6, 4],
            values: untilNow(win.expected),
          },
          { label: i18n.text("ui.chart_band"), color: BAND, values: edge(1) },
          { label: i18n.text("ui.chart_threshold"), color: UNUSUAL, dash: [2, 4], values: edge(-1) },
        ]
      : []),
  ];
  return (
    <Figure
      name="win"
      now={
        <>
          {now} {unusual && <b class="differs">! {i18n.text("ui.chart_threshold")}</b>}
        </>
      }
    >
      <Chart label={now} at={[...win.at_s, now_s]} lines={lines} {...(known && { band: [2, 3] as const })} />
    </Figure>
  );
}

function OverStakes({ figures: { win, now_s } }: Props) {
  const i18n = useI18n();
  const hold =
    win.over_drop === null
      ? i18n.text("ui.chart_no_drop")
      : i18n.text("ui.chart_hold", { percent: i18n.number(win.over_drop, 1) });
  const now = `${i18n.text("ui.chart_over_now", { percent: i18n.number(last(win.over_stakes), 1) })} · ${hold}`;
  const line = {
    label: i18n.text("ui.chart_over_stakes"),
    color: WON,
    values: untilNow(win.over_stakes),
  };
  return (
    <Figure name="over_stakes" now={now}>
      <Chart label={now} at={[...win.at_s, now_s]} lines={[line]} />
    </Figure>
  );
}

function Pace({ figures: { pace, now_s } }: Props) {
  const i18n = useI18n();
  const newest = pace.at(-1);
  const now = i18n.text("ui.chart_pace_now", { rounds: newest?.rounds ?? 0, hands: newest?.hands ?? 0 });
  const lines = [
    {
      label: i18n.text("ui.chart_rounds"),
      color: EXPECTED,
      values: untilNow(pace.map((hour) => hour.rounds)),
    },
    { label: i18n.text("ui.chart_hands"), color: WON, values: untilNow(pace.map((hour) => hour.hands)) },
  ];
  return (
    <Figure name="pace" now={now}>
      <Chart label={now} at={[...pace.map((hour) => hour.at_s), now_s]} lines={lines} stepped />
    </Figure>
  );
}

/** Who deals, who is away and since when; whose break is due by the house's time. */
function Rota({ figures: { rota } }: Props) {
  const i18n = useI18n();
  return (
    <Rows
      name="rota"
      title={i18n.text("ui.rota")}
      none={i18n.text("ui.rota_none")}
      heads={["ui.rota_now", "ui.shift_rounds", "ui.shift_win"]}
      rows={rota.map((row) => [
        row.dealer,
        <>
          {row.since_utc_us === null
            ? i18n.text(row.deals ? "ui.rota_deals" : "ui.rota_away")
            : i18n.text(row.deals ? "ui.rota_deals_since" : "ui.rota_away_since", {
                time: i18n.clock(row.since_utc_us),
              })}{" "}
          {row.break_due && <b class="due">! {i18n.text("ui.rota_due")}</b>}
        </>,
        i18n.number(row.rounds),
        i18n.money(row.win.money),
      ])}
    />
  );
}

/** How certain the reader was; a table whose reader does not report it has no such panel. */
function Reads({ figures }: Props) {
  const i18n = useI18n();
  const rows = [
    ...[...figures.reads].reverse().map((read) => ({
      label: i18n.text("ui.chart_reads_from", { percent: read.from_percent }),
      value: read.count,
      text: String(read.count),
    })),
    {
      label: i18n.text("ui.chart_reads_unsaid"),
      value: figures.reads_unsaid,
      text: String(figures.reads_unsaid),
    },
  ];
  if (figures.reads.every((read) => read.count === 0)) return null;
  return (
    <Figure name="reads" now="">
      <Bars rows={rows.filter((row) => row.value > 0)} />
    </Figure>
  );
}

function Holds({ figures }: Props) {
  const i18n = useI18n();
  const rows = figures.holds.map((hold) => ({
    label: `${hold.now ? "! " : ""}${i18n.say(hold.text)}`,
    value: hold.seconds,
    text: i18n.text("ui.chart_times", { count: hold.times, seconds: hold.seconds }),
  }));
  return (
    <Figure name="holds" now={rows.length === 0 ? i18n.text("ui.chart_holds_none") : ""}>
      {rows.length > 0 && <Bars rows={rows} />}
    </Figure>
  );
}

interface BarsProps {
  rows: readonly { label: string; value: number; text: string }[];
}

/** A bar for each row, the longest as wide as there is room. */
function Bars({ rows }: BarsProps) {
  const most = Math.max(1, ...rows.map((row) => row.value));
  return (
    <table class="preview bars whole-width size-18">
      <tbody>
        {rows.map((row) => (
          <tr key={row.label}>
            <th scope="row">{row.label}</th>
            <td class="amount">{row.text}</td>
            <td aria-hidden="true">
              <i class="meter block" style={{ width: `${(100 * row.value) / most}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
