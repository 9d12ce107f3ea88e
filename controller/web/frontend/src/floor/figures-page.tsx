// The shift in charts: each with its newest figures in words above it.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import { pitPageOf } from "../server/base";
import { useFetched } from "../server/fetched";
import type { FloorFigures, FloorRow, ShiftFigures } from "../view";
import { AllTables } from "./all-tables";
import { Chart } from "./chart";
import { Heads } from "./heads";
import { Patterns, PHASES, SeveralDays } from "./patterns";
import type { Go } from "./place";
import { useShift } from "./shift";

const WON = "#ffc94d";
const EXPECTED = "#6cc4ff";
const BAND = "#667480";

/** Asked for again when the table moves; without a settled round there is nothing to draw. */
export function FiguresPage({ go }: { go: Go }) {
  const i18n = useI18n();
  const { figures } = useShift();
  if (!figures) return <p class="quiet">{i18n.text("ui.loading")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <main class="page charts" tabIndex={0} aria-label={i18n.text("ui.page_figures")}>
      <AllTables page="figures" all={false} go={go} />
      {figures.rounds === 0 ? (
        <p class="quiet">{i18n.text("ui.chart_none")}</p>
      ) : (
        <>
          <Win figures={figures} />
          <OverStakes figures={figures} />
          <Pace figures={figures} />
        </>
      )}
      <Reads figures={figures} />
      <Holds figures={figures} />
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
  now: string;
  children: ComponentChildren;
}

function Figure({ name, now, children }: FigureProps) {
  const i18n = useI18n();
  return (
    <figure data-chart={name}>
      <figcaption>
        <b>{i18n.text(`ui.chart_${name}`)}</b> {now}
      </figcaption>
      {children}
    </figure>
  );
}

const last = (values: readonly number[]): number => values.at(-1) ?? 0;

function Win({ figures: { win } }: Props) {
  const i18n = useI18n();
  const amount = (value: number): string => i18n.sum(value, false);
  const known = win.expected.length > 0;
  const now = known
    ? i18n.text("ui.chart_win_now", {
        won: amount(last(win.won)),
        expected: amount(last(win.expected)),
        band: amount(last(win.band)),
      })
    : i18n.text("ui.chart_win_only", { won: amount(last(win.won)) });
  const edge = (sign: 1 | -1) => win.expected.map((value, index) => value + sign * (win.band[index] ?? 0));
  const band = i18n.text("ui.chart_band");
  const lines = [
    { label: i18n.text("ui.chart_won"), color: WON, values: win.won },
    ...(known
      ? [
          { label: i18n.text("ui.chart_expected"), color: EXPECTED, dash: [6, 4], values: win.expected },
          { label: band, color: BAND, values: edge(1) },
          { label: band, color: BAND, values: edge(-1) },
        ]
      : []),
  ];
  return (
    <Figure name="win" now={now}>
      <Chart label={now} at={win.at_s} lines={lines} {...(known && { band: [2, 3] as const })} />
    </Figure>
  );
}

function OverStakes({ figures: { win } }: Props) {
  const i18n = useI18n();
  const hold =
    win.over_drop === null
      ? i18n.text("ui.chart_no_drop")
      : i18n.text("ui.chart_hold", { percent: i18n.number(win.over_drop, 1) });
  const now = `${i18n.text("ui.chart_over_now", { percent: i18n.number(last(win.over_stakes), 1) })} · ${hold}`;
  const line = { label: i18n.text("ui.chart_over_stakes"), color: WON, values: win.over_stakes };
  return (
    <Figure name="over_stakes" now={now}>
      <Chart label={now} at={win.at_s} lines={[line]} />
    </Figure>
  );
}

function Pace({ figures: { pace } }: Props) {
  const i18n = useI18n();
  const newest = pace.at(-1);
  const now = i18n.text("ui.chart_pace_now", { rounds: newest?.rounds ?? 0, hands: newest?.hands ?? 0 });
  // The last hour lasts until its end, so that its step is seen.
  const at = [...pace.map((hour) => hour.at_s), (newest?.at_s ?? 0) + 3600];
  const steps = (values: number[]): number[] => [...values, last(values)];
  const lines = [
    { label: i18n.text("ui.chart_rounds"), color: EXPECTED, values: steps(pace.map((hour) => hour.rounds)) },
    { label: i18n.text("ui.chart_hands"), color: WON, values: steps(pace.map((hour) => hour.hands)) },
  ];
  return (
    <Figure name="pace" now={now}>
      <Chart label={now} at={at} lines={lines} stepped />
    </Figure>
  );
}

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
  return (
    <Figure name="reads" now="">
      <Bars rows={rows} />
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
      <Bars rows={rows} />
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
    <table class="preview bars">
      <tbody>
        {rows.map((row) => (
          <tr key={row.label}>
            <th scope="row">{row.label}</th>
            <td class="amount">{row.text}</td>
            <td>
              <meter min={0} max={most} value={row.value} aria-label={row.label} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
