// The floor: its tables at fixed places, the alerts of all in one column, the chosen table between them.
import { useI18n } from "../i18n/context";
import { useFetched } from "../server/fetched";
import type { AuditTrail, ShoeCheck } from "../view";
import { Alerts } from "./alerts";
import { Link } from "./link";
import { LiveTable } from "./live-table";
import type { PitTable } from "./pit-table";
import { addressOf, type Place } from "./place";
import { useShift } from "./shift";
import { Behind, isDue, Sits, Tiles } from "./tiles";
import { ChainState } from "./who-did-what";

const PACE_MS = 1000;
const RULINGS = 4;

interface Props {
  table: PitTable;
  /** Another table was chosen, of which nothing is heard yet. */
  goes: boolean;
  place: Place;
}

/** A tap on a tile or an alert chooses its table; the tiles and the alerts stay where they are. */
export function FloorPage({ table, goes, place }: Props) {
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
  const trail = useFetched<AuditTrail>("/api/audit?group=rulings", view.seq, PACE_MS);
  const rows = (trail?.rows ?? []).filter((row) => row.text).slice(0, RULINGS);
  return (
    <section class="rulings" aria-label={i18n.text("ui.record_rulings")}>
      <h2>
        {i18n.text("ui.record_rulings")}
        <span>
          {view.table} · {trail && <b>{trail.counts.rulings}</b>} · <ChainState trail={trail} />
        </span>
      </h2>
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
    </section>
  );
}

/** Four figures of the chosen table, each the key to the page behind it. */
function Panels({ table: { view, go } }: { table: PitTable }) {
  const i18n = useI18n();
  const { figures, ledger } = useShift();
  const shoe = useFetched<ShoeCheck>("/api/shoe", view.seq, PACE_MS);
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
    <section class="dealers" aria-label={i18n.text("ui.floor_dealers")}>
      <h2>
        {i18n.text("ui.floor_dealers")}
        {due > 0 && (
          <span class="due">
            {i18n.number(due)} × {i18n.text("ui.rota_due")}
          </span>
        )}
      </h2>
      <ul>
        {sitting.map((tile) => (
          <li key={tile.table}>
            <b>{tile.dealer}</b> {tile.table} <Sits tile={tile} />
          </li>
        ))}
      </ul>
    </section>
  );
}
