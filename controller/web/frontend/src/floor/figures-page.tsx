// The figures of the shift: charts, patterns, the tables of the floor side by side.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type UPlot from "uplot";
import { type I18n, useI18n } from "../i18n/i18n";
import { fetchJson, pitPageOf, useFetched } from "../server/http";
import { PlainKey } from "../shared/keys";
import type {
  DifferingGroup,
  FloorFigures,
  FloorRow,
  Patterns as Found,
  SeveralDays as Several,
  ShiftFigures,
} from "../view";
import { Heads } from "./list";
import { type Go, useShift } from "./place";
import { AllTables } from "./tiles";
import "uplot/dist/uPlot.min.css";

/** One line of a chart: its name, its colour, dashed or not; the area between `band` lines is filled. */
interface Line {
  label: string;
  color: string;
  dash?: number[];
  values: readonly number[];
}

interface ChartProps {
  /** What it shows in one sentence, for those who do not see it. */
  label: string;
  /** Seconds since 1970. */
  at: readonly number[];
  lines: readonly Line[];
  /** The indices of two lines, the upper one first. */
  band?: readonly [number, number];
  stepped?: boolean;
}

const HEIGHT = 190;
/** The first rounds of a shift may be settled within a second, and an axis without a length draws nothing. */
const SHORTEST_S = 60;
/** Seconds between the marks of the time's axis: a mark says its minute, and no two say the same. */
const MARKS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 86_400];
const AXIS = {
  stroke: "#b4bec7",
  font: '14px "Inter Variable", sans-serif',
  grid: { stroke: "#2a333c", width: 1 },
  ticks: { stroke: "#2a333c" },
};

/** Draws itself anew when its values change; it moves in no other way. */
function Chart({ label, at, lines, band, stepped }: ChartProps) {
  const { clock, number } = useI18n();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values are compared as text, arrays are new each time.
  useEffect(() => {
    let chart: UPlot | null = null;
    let gone = false;
    const widened = new ResizeObserver(([entry]) => {
      if (entry) chart?.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    void import("uplot").then(({ default: Plot }) => {
      if (gone || !place.current) return;
      const paths = stepped && Plot.paths.stepped ? { paths: Plot.paths.stepped({ align: 1 }) } : {};
      const options: UPlot.Options = {
        width: place.current.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        scales: { x: { range: (_, from, to) => [Math.min(from, to - SHORTEST_S), to] } },
        axes: [
          { ...AXIS, incrs: MARKS_S, values: (_, splits) => splits.map((second) => clock(second * 1e6)) },
          {
            ...AXIS,
            size: 64,
            values: (_, splits) => splits.map((value) => number(value, Number.isInteger(value) ? 0 : 1)),
          },
        ],
        series: [
          {},
          ...lines.map(({ label: name, color, dash = [] }) => ({
            label: name,
            stroke: color,
            width: 2,
            points: { show: false },
            dash,
            ...paths,
          })),
        ],
        ...(band && {
          bands: [{ series: [band[0] + 1, band[1] + 1] as [number, number], fill: "#6cc4ff22" }],
        }),
        legend: { live: false },
      };
      chart = new Plot(options, [[...at], ...lines.map((line) => [...line.values])], place.current);
      widened.observe(place.current);
    });
    return () => {
      gone = true;
      widened.disconnect();
      chart?.destroy();
    };
  }, [JSON.stringify([at, lines])]);
  return <div class={band ? "chart banded" : "chart"} role="img" aria-label={label} ref={place} />;
}

/** Journals of a month are read for up to two minutes. */
const PATIENCE_MS = 130_000;

/** The same over all days that are kept beside this one; read when somebody asks for it. */
function SeveralDays() {
  const i18n = useI18n();
  const [reads, setReads] = useState(false);
  const [several, setSeveral] = useState<Several | null>(null);
  const ask = (): void => {
    setReads(true);
    void fetchJson<Several>("/api/patterns", PATIENCE_MS).then((answer) => {
      if (answer) setSeveral(answer);
      setReads(false);
    });
  };
  return (
    <>
      <figure data-pattern="days">
        <PlainKey disabled={reads} onClick={ask}>
          {i18n.text("ui.pattern_days")}
        </PlainKey>{" "}
        <span role="status">
          {reads
            ? i18n.text("ui.loading")
            : several &&
              i18n.text("ui.pattern_days_of", { days: several.days, tables: several.tables.join(", ") })}
          {several && several.left_out.length > 0 && (
            <b class="differs">
              {" "}
              ! {i18n.text("ui.pattern_left_out", { files: several.left_out.join(", ") })}
            </b>
          )}
        </span>
      </figure>
      {several && <Patterns found={suspect(several.found)} dated />}
    </>
  );
}

/** A month has hundreds of shoes: those beyond chance. */
const suspect = (found: Found): Found => ({
  ...found,
  shoes: found.shoes.filter((row) => row.one_in !== null || row.low_one_in !== null),
});

/** Four tables; what chance alone would hardly make is marked, with how seldom it would; `dated` says which day's shoe. */
function Patterns({ found, dated = false }: { found: Found; dated?: boolean }) {
  const i18n = useI18n();
  const chance = (oneIn: number | null) =>
    oneIn !== null && (
      <b class="differs">! {i18n.text("ui.pattern_one_in", { count: i18n.number(oneIn) })}</b>
    );
  const seconds = (spent: number) => spent > 0 && i18n.text("ui.seconds", { seconds: i18n.number(spent, 1) });
  const of = (hits: number, tries: number): string => i18n.text("ui.pattern_of", { hits, tries });
  return (
    <>
      <Rows
        name="payouts"
        title={i18n.text("ui.pattern_payouts")}
        none={i18n.text("ui.pattern_none")}
        heads={["ui.ledger_difference", "field.amount", "ui.pattern_chance"]}
        rows={found.payouts.map((row) => [
          groupName(row, i18n),
          of(row.differ, row.payouts),
          i18n.money(row.sum.money),
          chance(row.one_in),
        ])}
      />
      <Rows
        name="shoes"
        title={i18n.text("ui.pattern_shoes")}
        heads={["ui.pattern_misread", "ui.rounds_by_hand", "field.p", "ui.pattern_chance"]}
        rows={found.shoes.map((row) => [
          `${dated ? `${row.day} ${row.table} ` : ""}${i18n.text("ui.round_shoe", { shoe: row.shoe })}`,
          of(row.misread, row.cards),
          row.by_hand > 0 && i18n.number(row.by_hand),
          row.percent !== null && (
            <>
              {i18n.text("ui.percent", { percent: i18n.number(row.percent, 2) })}{" "}
              {row.low_one_in !== null && (
                <b class="differs">
                  {i18n.text("ui.pattern_falls")},{" "}
                  {i18n.text("ui.pattern_one_in", { count: i18n.number(row.low_one_in) })}
                </b>
              )}
            </>
          ),
          chance(row.one_in),
        ])}
      />
      <Rows
        name="boxes"
        title={i18n.text("ui.pattern_boxes")}
        heads={["field.action", "ui.pattern_mean_s"]}
        rows={found.boxes.map((row) => [
          i18n.text("ui.box", { box: row.box }),
          i18n.number(row.decisions),
          seconds(row.seconds),
        ])}
      />
      <Rows
        name="dealers"
        title={i18n.text("ui.pattern_dealers")}
        heads={PHASES.map((phase) => `phase.${phase}` as const)}
        rows={found.dealers.map((row) => [
          row.dealer || i18n.text("ui.pattern_median"),
          ...PHASES.map((phase) => seconds(row.seconds[phase] ?? 0)),
        ])}
      />
    </>
  );
}

/** The parts of a round in their order, and how long it waited. */
const PHASES = ["bets", "deal", "turns", "dealer", "pay", "waits"] as const;

function groupName({ by, name }: DifferingGroup, i18n: I18n): string {
  if (typeof name !== "string") return i18n.value(name);
  if (by === "dealer") return i18n.text("ui.round_dealer", { dealer: name });
  if (by === "box") return i18n.text("ui.box", { box: name });
  return name === "0" ? i18n.text("ui.holder") : i18n.text("detail.BEHIND", { seat: name });
}

interface PatternsProps {
  name: string;
  title: string;
  /** What is said where there is no row; without it there is no panel. */
  none?: string;
  heads: readonly string[];
  /** Cells of each row, the first one what it is about; a column without a cell is left out. */
  rows: readonly (readonly ComponentChildren[])[];
}

/** A panel with a table. */
function Rows({ name, title, none, heads, rows }: PatternsProps) {
  const shown = heads.map((_, column) => rows.some((row) => isSaid(row[column + 1])));
  if (!none && !shown.includes(true)) return null;
  return (
    <figure class="panel" data-pattern={name}>
      <figcaption>
        <b>{title}</b> {rows.length === 0 && none}
      </figcaption>
      {rows.length > 0 && (
        <table class="ledger-table">
          <Heads heads={["", ...heads.filter((_, column) => shown[column])]} />
          <tbody>
            {rows.map(([about, ...cells], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the table is made anew as a whole
              <tr key={index}>
                <th scope="row">{about}</th>
                {cells.map(
                  (cell, column) =>
                    shown[column] && (
                      // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                      <td key={column} class="amount">
                        {isSaid(cell) ? cell : "–"}
                      </td>
                    ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </figure>
  );
}

const isSaid = (cell: ComponentChildren): boolean => cell !== null && cell !== undefined && cell !== false;

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

interface FiguresPageProps {
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
function Win({ figures: { win, now_s }, unusual }: FiguresPageProps & { unusual: boolean }) {
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

function OverStakes({ figures: { win, now_s } }: FiguresPageProps) {
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

function Pace({ figures: { pace, now_s } }: FiguresPageProps) {
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
function Rota({ figures: { rota } }: FiguresPageProps) {
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
function Reads({ figures }: FiguresPageProps) {
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

function Holds({ figures }: FiguresPageProps) {
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
