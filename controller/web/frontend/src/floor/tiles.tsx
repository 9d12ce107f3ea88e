// The tables of the floor, those first that need somebody: what each waits for, its seats, pace, win and dealer.

import { useMemo, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import { pitPageOf } from "../server/base";
import { SmallKey } from "../shared/small-key";
import type { Tile } from "../view";
import { useSteadyOrder } from "./steady";

interface Props {
  tiles: readonly Tile[];
  /** The table that the page is about, null where it is about all of them. */
  chosen: string | null;
}

// Another table is another page, with a socket of its own.
const open = (table: string): void => location.assign(pitPageOf(table));

/** By need; the order rests while somebody points, scrolls or tabs through it. What is equal is joined above. */
export function Tiles({ tiles, chosen }: Props) {
  const i18n = useI18n();
  const { shown, place } = useSteadyOrder(tiles);
  const [only, setOnly] = useState("");
  const joined = joinedOf(tiles, i18n);
  const wanted = joined.some(([words]) => words === only) ? only : "";
  return (
    <section class="tiles-box" aria-label={i18n.text("ui.page_tables")}>
      <h2>
        {i18n.text("ui.page_tables")}
        <span>{i18n.text("ui.tables_order")}</span>
      </h2>
      {joined.length > 0 && (
        <div class="joined">
          {joined.map(([words, count]) => (
            <SmallKey
              key={words}
              data-joined={count}
              aria-pressed={words === wanted}
              onClick={() => setOnly(words === wanted ? "" : words)}
            >
              <span class="sentence">{words}</span> <b>{i18n.number(count)}</b>
            </SmallKey>
          ))}
        </div>
      )}
      <Behind tiles={tiles} />
      <div class="tiles" ref={place}>
        {shown.map(
          (tile) =>
            (wanted === "" || needOf(tile, i18n) === wanted) && (
              <Kept key={tile.table} tile={tile} pressed={tile.table === chosen} i18n={i18n} />
            ),
        )}
      </div>
    </section>
  );
}

/** Which tables the archive lacks entries of, those first that it lacks most of. */
function Behind({ tiles }: { tiles: readonly Tile[] }) {
  const i18n = useI18n();
  const behind = tiles.filter((tile) => (tile.behind ?? 0) > 0);
  if (behind.length === 0) return null;
  const most = behind.sort((one, other) => (other.behind ?? 0) - (one.behind ?? 0));
  const tables = most.map(({ table, behind: count }) => `${table} ${i18n.number(count ?? 0)}`);
  return <p class="quiet behind">{i18n.text("ui.tiles_behind", { tables: tables.join(", ") })}</p>;
}

/** What stops several tables, or is an alert of several, with how many; the most first. */
function joinedOf(tiles: readonly Tile[], i18n: I18n): [string, number][] {
  const counts = new Map<string, number>();
  for (const tile of tiles) {
    const words = needOf(tile, i18n);
    if (words) counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).sort((one, other) => other[1] - one[1]);
}

/** Why a table needs somebody; "" where it needs nobody. */
function needOf(tile: Tile, i18n: I18n): string {
  if (tile.tone === "stop") return i18n.say(tile.line);
  return tile.alert ? i18n.say(tile.alert) : "";
}

/** Of two hundred tiles a few have changed: the others are not even compared. */
function Kept({ tile, pressed, i18n }: { tile: Tile; pressed: boolean; i18n: I18n }) {
  return useMemo(() => <TileKey tile={tile} pressed={pressed} i18n={i18n} />, [tile, pressed, i18n]);
}

function TileKey({ tile, pressed, i18n }: { tile: Tile; pressed: boolean; i18n: I18n }) {
  const { alert, since_utc_us: since } = tile;
  return (
    <button
      type="button"
      class={`tile tone-${tile.tone}`}
      data-tile={tile.table}
      aria-pressed={pressed}
      disabled={!tile.opens}
      onClick={() => open(tile.table)}
    >
      <span class="tile-head">
        <b>{tile.table}</b>
        <em>
          {i18n.say(tile.line)}
          {tile.elsewhere && !tile.unread && ` · ${i18n.clock(tile.at_utc_us)}`}
        </em>
        {(alert !== null || since > 0) && (
          <small>
            {alert !== null && (
              <b class="alerting">
                {tile.alerts > 1 ? `${i18n.number(tile.alerts)} × ` : ""}! {i18n.say(alert)}
              </b>
            )}{" "}
            {since > 0 && i18n.text("ui.tile_since", { time: i18n.clock(since) })}
          </small>
        )}
      </span>
      {!tile.unread && (
        <>
          <Seats tile={tile} />
          <span class="tile-figures">
            <Figure name={i18n.text("ui.tile_hands")}>
              {tile.hands === null ? "–" : i18n.number(tile.hands)}
            </Figure>
            <Figure name={i18n.text("ui.tile_win")} differs={tile.unusual}>
              {i18n.money(tile.win.money)}
            </Figure>
            <Figure name={i18n.text("ui.tile_dealer")}>{tile.dealer || "–"}</Figure>
          </span>
          {tile.expected && (
            <small>{i18n.text("ui.panel_expected", { amount: i18n.money(tile.expected.money) })}</small>
          )}
        </>
      )}
    </button>
  );
}

/** Seven seats from the pit's side: box 1 at the right. */
function Seats({ tile }: { tile: Tile }) {
  const middle = (tile.seats.length - 1) / 2;
  const seats = tile.seats.map((seat, index) => ({ seat, box: index + 1 })).reverse();
  return (
    <span class="tile-seats" aria-hidden="true">
      {seats.map(({ seat, box }) => (
        <i
          key={box}
          class={seat}
          style={{ marginTop: `${Math.round(15 - Math.abs(box - 1 - middle) * 5)}px` }}
        >
          {box}
        </i>
      ))}
    </span>
  );
}

function Figure({ name, differs = false, children }: { name: string; differs?: boolean; children: string }) {
  return (
    <span>
      <small>{name}</small>
      <b class={differs ? "differs" : ""}>
        {differs ? "! " : ""}
        {children}
      </b>
    </span>
  );
}
