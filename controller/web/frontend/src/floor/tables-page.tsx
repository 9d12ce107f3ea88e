// The floor and one table of it: tiles, the chosen table, alerts, ledger, panels, shoe.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { roundAddress, useFetched } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { AuditTrail, PhasePace, ShoeCheck, TableView } from "../view";
import { Alerts } from "./alerts";
import { ChainState, Devices, WhoDidWhat } from "./deeds";
import { Differing, Ledger } from "./ledger";
import { Facts, Section } from "./list";
import { LiveTable, type PitTable } from "./live-table";
import { addressOf, Link, type Place, useShift } from "./place";
import { Behind, isDue, Sits, Tiles } from "./tiles";

const WIDTH = 260;
const HEIGHT = 64;

/** The curve of the win with the band of two standard deviations around what the rules let expect. */
function WinAgainst() {
  const i18n = useI18n();
  const { figures } = useShift();
  if (!figures) return <section class="panel" />;
  const { won, expected, band } = figures.win;
  const last = won.at(-1) ?? 0;
  const high = expected.map((value, index) => value + (band[index] ?? 0));
  const low = expected.map((value, index) => value - (band[index] ?? 0));
  const all = [...won, ...high, ...low, 0];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const point = (value: number, index: number): string =>
    `${((index / Math.max(won.length - 1, 1)) * WIDTH).toFixed(1)},${(HEIGHT - ((value - least) / (most - least || 1)) * HEIGHT).toFixed(1)}`;
  return (
    <Section class="panel" data-panel="win" name="ui.panel_win" head="h3">
      <p>
        <strong>{i18n.sum(last)}</strong>{" "}
        {expected.length > 0 && (
          <small>{i18n.text("ui.panel_expected", { amount: i18n.sum(expected.at(-1) ?? 0) })}</small>
        )}
      </p>
      <svg
        class="whole-width"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {expected.length > 0 && (
          <polygon class="band" points={[...high.map(point), ...low.map(point).reverse()].join(" ")} />
        )}
        <polyline class="expected" points={expected.map(point).join(" ")} />
        <polyline class="won" points={won.map(point).join(" ")} />
      </svg>
    </Section>
  );
}

/** The mean seconds of each part of a round: of who deals now, and beside it of the median dealer. */
function Seconds() {
  const i18n = useI18n();
  const phases = useShift().figures?.phases ?? [];
  const slow = slowest(phases);
  const sum = phases
    .filter((phase) => phase.name !== "waits")
    .reduce((all, phase) => all + (phase.dealer ?? phase.seconds), 0);
  return (
    <Section class="panel" data-panel="seconds" name="ui.panel_seconds" head="h3">
      <p>
        <strong>{i18n.text("ui.seconds", { seconds: sum })}</strong>{" "}
        <small>{i18n.text("ui.panel_a_round")}</small>
      </p>
      <div class="seconds-bar flex" aria-hidden="true">
        {phases.map((phase) => (
          <i
            key={phase.name}
            class={phase.name === slow ? "slow" : ""}
            style={{ flex: Math.max(phase.dealer ?? phase.seconds, 1) }}
          />
        ))}
      </div>
      <Facts
        look="grid text-small soft"
        rows={phases.map(({ name, dealer, seconds, median }) => [
          i18n.text(`phase.${name}`),
          [
            dealer ?? seconds,
            median !== null && (
              <small key="median"> {i18n.text("ui.median_dealer", { seconds: median })}</small>
            ),
          ],
          name === slow,
        ])}
      />
    </Section>
  );
}

const SLOW = 1.2;

/** The phase that takes the dealer longest beside the median dealer, and a fifth longer at least. */
function slowest(phases: readonly PhasePace[]): string | undefined {
  const beyond = ({ dealer, seconds, median }: PhasePace): number =>
    median ? (dealer ?? seconds) / median : 0;
  const first = [...phases].sort((one, other) => beyond(other) - beyond(one))[0];
  return first && beyond(first) > SLOW ? first.name : undefined;
}

/** The float as it ought to be, how it was opened, the last fill, the drop; at closing what may explain a difference. */
function Books() {
  const i18n = useI18n();
  const books = useShift().figures?.books;
  const rows = [
    { name: "opened", amount: books?.opened },
    { name: "fill", amount: books?.fill },
    { name: "drop", amount: books?.drop },
    ...(books?.counted ? [{ name: "counted", amount: books.counted } as const] : []),
    ...(books?.difference ? [{ name: "difference", amount: books.difference } as const] : []),
  ] as const;
  return (
    <Section class="panel" data-panel="books" name="ui.panel_books" head="h3">
      <p>
        <strong>{books?.float_now ? i18n.money(books.float_now.money) : "–"}</strong>{" "}
        <small>{i18n.text(books?.float_now ? "ui.books_float" : "ui.books_not_counted")}</small>
      </p>
      <Facts
        look="grid text-small soft"
        rows={rows.map(({ name, amount }) => [
          i18n.text(`ui.books_${name}`),
          amount ? i18n.money(amount.money) : "–",
        ])}
      />
      {books && books.explained.length > 0 && (
        <>
          <h4 class="text-small">{i18n.text("ui.books_explained")}</h4>
          <ol class="explained text-small">
            {books.explained.map(({ text, round }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two payouts of a round may read alike
              <li key={at}>
                <a href={roundAddress(round)}>{i18n.say(text)}</a>
              </li>
            ))}
          </ol>
        </>
      )}
    </Section>
  );
}

/** What came of the shoe changes with each round; nobody reads it card by card. */
const PACE_MS = 5000;

/** A shoe in so many is worth a second look. */
const SELDOM = 100;

/** The ranks are those of settled rounds, and go to whoever may read these alone. */
function ShoeCard({ table: { view, open } }: { table: PitTable }) {
  const i18n = useI18n();
  const check = useFetched<ShoeCheck>("/api/shoe", view.seq, PACE_MS);
  const { shoe } = view;
  return (
    <Section
      class="shoe-box"
      name="ui.shoe"
      beside={[
        i18n.text("ui.shoe_packs", { packs: shoe.decks }),
        check && ` · ${i18n.text("ui.shoe_dealt_of", { dealt: check.dealt, size: check.size })}`,
      ]}
    >
      {check && <Checked check={check} />}
      <p class="quiet">
        {view.cut_card && i18n.text("ui.cut_card")}
        {view.cut_card && shoe.shuffle_due && " · "}
        {shoe.shuffle_due && i18n.text("ui.shoe_shuffle_due")}
      </p>
      <SmallKey data-key="SHOE" onClick={() => open({ open: "shoe" })}>
        {i18n.text("ui.shoe_open")}
      </SmallKey>
    </Section>
  );
}

function Checked({ check }: { check: ShoeCheck }) {
  const i18n = useI18n();
  const { ranks, each, expected, one_in: oneIn, last_count: last } = check;
  const most = ranks.reduce(
    (best, one) => (one.count > best.count ? one : best),
    ranks[0] ?? { rank: "", count: 0 },
  );
  return (
    <>
      <p class={`order-check ${check.order}`} data-order={check.order}>
        <b>{i18n.text("ui.shoe_order")}</b> {i18n.text(`ui.shoe_order_${check.order}`)}
      </p>
      {ranks.length > 0 && (
        <div
          class="ranks grid gap-4 within weight-700 to-middle"
          role="img"
          aria-label={i18n.text("ui.shoe_ranks")}
        >
          <i class="expected" style={{ bottom: `${20 + (expected / each) * 48}px` }} />
          {ranks.map(({ rank, count }) => (
            <span key={rank} class={rank === most.rank ? "most" : ""}>
              <i class="flex ground-3">
                <i class="whole-width" style={{ height: `${(count / each) * 100}%` }} />
              </i>
              {rank}
            </span>
          ))}
        </div>
      )}
      <dl>
        {ranks.length > 0 && (
          <div class="flex between gap-8">
            <dt>{i18n.text("ui.shoe_most", { rank: most.rank, count: most.count, each })}</dt>
            <dd class="weight-700">
              {oneIn !== null &&
                i18n.text(oneIn < SELDOM ? "ui.shoe_usual" : "ui.shoe_seldom", { count: oneIn })}
            </dd>
          </div>
        )}
        <div class="flex between gap-8" data-count>
          <dt>
            {last ? i18n.text("ui.shoe_last_count", { shoe: last.shoe }) : i18n.text("ui.shoe_not_counted")}
          </dt>
          <dd class="weight-700">
            {last &&
              `${i18n.text(last.missing + last.extra ? "ui.shoe_incomplete" : "ui.shoe_complete", {
                missing: last.missing,
                extra: last.extra,
              })} · ${i18n.clock(last.at_utc_us)}`}
          </dd>
        </div>
      </dl>
    </>
  );
}

const FLOOR_PAGE_PACE_MS = 1000;
const RULINGS = 4;

interface FloorPageProps {
  table: PitTable;
  /** Another table was chosen, of which nothing is heard yet. */
  goes: boolean;
  place: Place;
}

/** A tap on a tile or an alert chooses its table; the tiles and the alerts stay where they are. */
export function FloorPage({ table, goes, place }: FloorPageProps) {
  const i18n = useI18n();
  const { view, go } = table;
  const named = decodeURIComponent(place.base.split("/tables/")[1] ?? view.table);
  return (
    <main class="floor-page grid low">
      <div class="column left">
        <Tiles chosen={named} page="floor" go={go} />
        <footer>
          <Behind />
          <span class="legend">{i18n.text("ui.floor_band")}</span>
          <Link to={addressOf("floor", "", { wall: "1" })} go={go} name="wall" class="key-small">
            {i18n.text("ui.wall")} (W)
          </Link>
        </footer>
      </div>
      <div class="column middle">
        {goes ? (
          <p class="quiet loading" data-connecting>
            {named} · {i18n.text("ui.connecting")}
          </p>
        ) : (
          <>
            <LiveTable table={table} floor />
            <Rulings table={table} />
            <Panels table={table} />
            <Dealers />
          </>
        )}
      </div>
      <div class="column right">
        <Alerts table={goes ? null : table} view={view} go={go} place={place} floor />
      </div>
    </main>
  );
}

/** What was ruled at the chosen table, the newest first, with the money that moved. */
function Rulings({ table: { view } }: { table: PitTable }) {
  const i18n = useI18n();
  const trail = useFetched<AuditTrail>("/api/audit?group=rulings", view.seq, FLOOR_PAGE_PACE_MS);
  const rows = (trail?.rows ?? []).filter((row) => row.text).slice(0, RULINGS);
  return (
    <Section
      class="rulings"
      name="ui.record_rulings"
      beside={[
        `${view.table} · `,
        trail && <b key="count">{trail.counts.rulings}</b>,
        " · ",
        <ChainState key="chain" trail={trail} />,
      ]}
    >
      <ul>
        {rows.map((row) => (
          <li class="grid gap-10 edge-above" key={row.seq} data-entry={row.seq}>
            <time>{i18n.clock(row.at_utc_us, true)}</time>
            <span>{row.text && i18n.say(row.text)}</span>
            {row.change ? (
              <b>{i18n.money(row.change.money)}</b>
            ) : (
              <small>{i18n.text("ui.no_money_moved")}</small>
            )}
          </li>
        ))}
        {trail && rows.length === 0 && (
          <li class="quiet grid gap-10 edge-above">{i18n.text("ui.record_none_rulings")}</li>
        )}
      </ul>
    </Section>
  );
}

/** Four figures of the chosen table, each the key to the page behind it. */
function Panels({ table: { view, go } }: { table: PitTable }) {
  const i18n = useI18n();
  const { figures, ledger } = useShift();
  const shoe = useFetched<ShoeCheck>("/api/shoe", view.seq, FLOOR_PAGE_PACE_MS);
  const float = figures?.books.float_now;
  const seconds = (figures?.phases ?? [])
    .filter(({ name }) => name !== "waits")
    .reduce((all, one) => all + one.seconds, 0);
  const panels = [
    {
      name: "ui.shoe",
      to: addressOf("tables"),
      text: shoe && i18n.text("ui.floor_dealt", { dealt: shoe.dealt, size: shoe.size }),
    },
    { name: "ui.books_float", to: addressOf("books"), text: float && i18n.money(float.money) },
    {
      name: "ui.panel_a_round",
      to: addressOf("figures"),
      text: figures && i18n.text("ui.seconds", { seconds }),
    },
    {
      name: "ui.ledger_difference",
      to: addressOf("rounds", "", { kind: "differences" }),
      text: ledger && i18n.number(ledger.differences),
    },
  ];
  return (
    <section class="floor-panels" aria-label={view.table}>
      <h2 class="across">{view.table}</h2>
      {panels.map(({ name, to, text }) => (
        <Link key={name} to={to} go={go} class="panel">
          <small>{i18n.text(name)}</small>
          <b>{text || "–"}</b>
        </Link>
      ))}
    </section>
  );
}

/** Who deals where, those first who have sat longest. */
function Dealers() {
  const i18n = useI18n();
  const { tiles, nowUs } = useShift();
  const sitting = tiles
    .filter((tile) => tile.dealing_since_utc_us > 0 && !tile.away)
    .sort((one, other) => one.dealing_since_utc_us - other.dealing_since_utc_us);
  if (sitting.length === 0) return null;
  const due = sitting.filter((tile) => isDue(tile, nowUs())).length;
  return (
    <Section
      class="dealers"
      name="ui.floor_dealers"
      beside={due > 0 && <b class="due">{`${i18n.number(due)} × ${i18n.text("ui.rota_due")}`}</b>}
    >
      <ul>
        {sitting.map((tile) => (
          <li key={tile.table}>
            <b>{tile.dealer}</b> {tile.table} <Sits tile={tile} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What is behind the bar of a tablet, one at a time. */
const SHEETS = {
  ledger: "ui.ledger",
  panels: "ui.page_figures",
  did: "ui.who_did_what",
  shoe: "ui.shoe",
} as const;
type Sheet = keyof typeof SHEETS;

/** Three columns; a tablet has the table over its whole width, and the rest behind the bar below it. */
export function TablesPage({ table, place }: { table: PitTable; place: Place }) {
  const { view, go } = table;
  const [sheet, setSheet] = useState<Sheet | null>(null);
  return (
    <main class="tables grid low" data-sheet={sheet}>
      <div class="column left">
        <Tiles chosen={view.table} page="tables" go={go} />
        <WhoDidWhat go={go} />
        <Devices table={table} />
      </div>
      <div class="column middle">
        <LiveTable table={table} />
        <SheetBar view={view} sheet={sheet} onSheet={setSheet} />
        <Ledger table={table} place={place} />
        <div class="panels grid gap-12">
          <WinAgainst />
          <Seconds />
          <Books />
        </div>
      </div>
      <div class="column right">
        <Alerts table={table} view={view} go={go} place={place} />
        <ShoeCard table={table} />
      </div>
    </main>
  );
}

interface SheetProps {
  view: TableView;
  sheet: Sheet | null;
  onSheet: (sheet: Sheet | null) => void;
}

/** On a tablet: the bar that the ledger is behind; opened it has a tab for each sheet. */
function SheetBar({ view, sheet, onSheet }: SheetProps) {
  const i18n = useI18n();
  return (
    <div class="sheet-bar">
      <button
        type="button"
        class="sheet-key"
        data-key="SHEET"
        aria-expanded={sheet !== null}
        onClick={() => onSheet(sheet ? null : "ledger")}
      >
        <span aria-hidden="true">{sheet ? "▾" : "▴"}</span>{" "}
        {sheet ? i18n.text("ui.close") : i18n.text("ui.ledger")}{" "}
        {!sheet && (
          <>
            <span class="quiet">{view.table}</span>
            <span class="spring" />
            <Differing />
          </>
        )}
      </button>
      {sheet &&
        (Object.keys(SHEETS) as Sheet[]).map((name) => (
          <button
            key={name}
            type="button"
            class="tab"
            data-sheet-tab={name}
            aria-pressed={name === sheet}
            onClick={() => onSheet(name)}
          >
            {i18n.text(SHEETS[name])}
          </button>
        ))}
    </div>
  );
}
