// The tables of the floor as tiles, on the page and on the wall.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import { pitPageOf } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { AnsweredRow, Tile } from "../view";
import { Section } from "./list";
import { addressOf, type Go, type PageName, useShift } from "./place";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;

/** "0:47": minutes and seconds. */
export function clockOf(us: number): string {
  const seconds = Math.floor(Math.max(0, us) / SECOND_US);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Microseconds since then, each second anew. */
function useSince(utcUs: number): number {
  const { nowUs } = useShift();
  const [now, setNow] = useState(nowUs);
  useEffect(() => {
    setNow(nowUs());
    const timer = setInterval(() => setNow(nowUs()), 1000);
    return () => clearInterval(timer);
  }, [nowUs]);
  return Math.max(0, now - utcUs);
}

/** Within an hour how long, later since when. */
export function Age({ since }: { since: number }) {
  const i18n = useI18n();
  const us = useSince(since);
  return (
    <time class="age">
      {us < HOUR_US ? clockOf(us) : i18n.text("ui.tile_since", { time: i18n.clock(since) })}
    </time>
  );
}

interface AllTablesProps {
  page: "rounds" | "figures";
  /** All tables are shown. */
  all: boolean;
  go: Go;
}

/** Nothing at a house of one table. */
export function AllTables({ page, all, go }: AllTablesProps) {
  const i18n = useI18n();
  if (useShift().tiles.length < 2) return null;
  return (
    <SmallKey
      data-key="ALL_TABLES"
      aria-pressed={all}
      onClick={() => go(all ? addressOf(page) : addressOf("floor", page))}
    >
      {i18n.text("ui.all_tables")}
    </SmallKey>
  );
}

interface TilesProps {
  /** The table that the page is about. */
  chosen: string;
  /** The page that a press opens for another table. */
  page: PageName;
  go: Go;
}

/** In the order of the floor: a tile stays where it is, whatever its table does. */
export function Tiles({ chosen, page, go }: TilesProps) {
  const i18n = useI18n();
  const { tiles } = useShift();
  const places = usePlaces();
  return (
    <Section
      class="tiles-box stack low"
      name="ui.page_tables"
      beside={[<Open key="open" tiles={tiles} />, ` · ${i18n.text("ui.floor_order")}`]}
    >
      <div class="tiles grid gap-12 low scroll-y">
        {places.map(({ key, name, tile }) =>
          tile ? (
            <Kept key={key} tile={tile} pressed={name === chosen} i18n={i18n} go={go} page={page} />
          ) : (
            <Free key={key} name={name} />
          ),
        )}
      </div>
    </Section>
  );
}

/** The house's places with their tables, then the other tables; a place whose table is not there stays free. */
function usePlaces(): { key: string; name: string; tile?: Tile | undefined }[] {
  const { tiles, places } = useShift();
  const others = tiles.filter(({ table }) => !places.includes(table));
  return [
    ...places.map((name, place) => ({
      key: name || `place ${place}`,
      name,
      tile: tiles.find(({ table }) => table === name),
    })),
    ...others.map((tile) => ({ key: tile.table, name: tile.table, tile })),
  ];
}

/** A place of the floor without a table now. */
function Free({ name }: { name: string }) {
  return (
    <div class="tile away free stack slim to-left ground-1 edge-key rounded" data-place={name}>
      <span class="tile-head">
        <b>{name}</b>
      </span>
    </div>
  );
}

/** How many tables can be looked at, and how many of them stand. */
function Open({ tiles }: { tiles: readonly Tile[] }) {
  const i18n = useI18n();
  const stopped = tiles.filter((tile) => tile.tone === "stop" && !tile.away).length;
  const open = tiles.filter((tile) => !tile.away).length;
  return (
    <>
      {i18n.text("ui.floor_open", { open, count: tiles.length })}
      {stopped > 0 && (
        <>
          {" "}
          · <b class="differs">! {i18n.text("ui.floor_stopped", { count: stopped })}</b>
        </>
      )}
    </>
  );
}

/** Which tables the archive lacks whole rounds of. */
export function Behind() {
  const i18n = useI18n();
  const behind = useShift().tiles.filter((tile) => (tile.behind ?? 0) > 0);
  if (behind.length === 0) return null;
  const rounds = Math.max(...behind.map((tile) => tile.behind ?? 0));
  const tables = behind.map((tile) => tile.table).join(", ");
  return <span class="behind">{i18n.text("ui.tiles_behind", { rounds, tables })}</span>;
}

interface KeptProps {
  tile: Tile;
  pressed: boolean;
  i18n: I18n;
  go: Go;
  page: PageName;
}

/** Of two hundred tiles a few have changed: the others are not even compared. */
function Kept({ tile, pressed, i18n, go, page }: KeptProps) {
  const own = useRef<HTMLButtonElement>(null);
  // A strip of many tables is longer than a tablet is wide.
  useEffect(() => {
    if (pressed) own.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pressed]);
  return useMemo(
    () => (
      <button
        ref={own}
        type="button"
        class={`stack slim to-left ground-1 edge-key rounded ${lookOf(tile)}`}
        data-tile={tile.table}
        aria-pressed={pressed}
        disabled={!tile.opens}
        onClick={() => !pressed && go(addressOf(page, "", {}, pitPageOf(tile.table)))}
      >
        <TileFace tile={tile} i18n={i18n} />
      </button>
    ),
    [tile, pressed, i18n, go, page],
  );
}

/** What stops a table, and who has, is read whole, be it on two lines. */
const lookOf = ({ tone, line, away }: Tile): string =>
  `tile tone-${tone}${tone === "stop" || line.code === "line.FROZEN_BY" ? " whole" : ""}${away ? " away" : ""}`;
/** Whole units of money, with the sign that it came with. */
const units = (amount: string): string => `${amount.startsWith("+") ? "+" : ""}${Math.round(Number(amount))}`;
const GLYPHS: Record<Tile["tone"], string> = { act: "→", pay: "+", take: "−", push: "=", stop: "!" };

/** The same for the floor's page and, without keys and with whole amounts, for the wall. */
function TileFace({ tile, i18n, whole = false }: { tile: Tile; i18n: I18n; whole?: boolean }) {
  const { limits, expected, band, beyond, line_since_utc_us: since } = tile;
  const waits = tile.waits.filter(({ seen_by }) => seen_by === "").length;
  const stop = tile.tone === "stop" ? tile.waits.find(({ kind }) => kind === "stop") : undefined;
  const money = (amount: string): string => i18n.money(whole ? units(amount) : amount);
  return (
    <>
      <span class="tile-head">
        <b>{tile.table}</b>
        {waits > 0 && <b class="alerting">! {waits}</b>}
        {limits && Number(limits[1]) > 0 && (
          <small>
            {i18n.text("ui.tile_limits", { least: i18n.chips(limits[0]), most: i18n.chips(limits[1]) })}
          </small>
        )}
      </span>
      <em class="weight-700 upright ground-3">
        <span>
          {GLYPHS[tile.tone]} {i18n.say(stop?.title ?? tile.line)}
        </span>
        {tile.elsewhere && !tile.unread ? i18n.clock(tile.at_utc_us) : since > 0 && <Age since={since} />}
      </em>
      {!tile.unread && (
        <>
          {!whole && <Seats tile={tile} />}
          <span class="tile-win">
            <small>{i18n.text("ui.tile_win")}</small>
            <b class={tile.win.money.startsWith("-") ? "lost" : ""}>{money(tile.win.money)}</b>
          </span>
          {expected && band ? (
            <>
              <Band win={tile.win.money} expected={expected.money} band={band.money} beyond={beyond} />
              <small class="tile-expected">
                {i18n.text("ui.tile_expected", {
                  amount: i18n.money(units(expected.money)),
                  band: i18n.money(units(band.money)),
                })}{" "}
                {beyond && (
                  <b>
                    {beyond === "above" ? "▲" : "▼"} {i18n.text(`ui.tile_${beyond}`)}
                  </b>
                )}
              </small>
            </>
          ) : (
            <small class="tile-expected">{i18n.text("ui.tile_expected_later")}</small>
          )}
          <span class="tile-foot edge-above">
            <b>{tile.dealer || "–"}</b>
            <Sits tile={tile} />
          </span>
        </>
      )}
    </>
  );
}

/** Whether the dealer's break is due. */
export const isDue = ({ break_at_utc_us: due }: Tile, nowUs: number): boolean => due > 0 && due <= nowUs;

/** How long the dealer has sat, and whether the break is due by the house's time. */
export function Sits({ tile }: { tile: Tile }) {
  const i18n = useI18n();
  const now = useSince(0);
  if (tile.dealing_since_utc_us === 0) return null;
  const minutes = Math.max(0, Math.floor((now - tile.dealing_since_utc_us) / 60_000_000));
  const due = isDue(tile, now);
  return (
    <small class={due ? "due" : ""}>
      {due && `→ ${i18n.text("ui.rota_due")}, `}
      {i18n.text("ui.tile_sits", { minutes: i18n.number(minutes) })}
    </small>
  );
}

/** The bar is where 19 shifts of 20 end, its middle what the rules let expect, the mark the win of now. */
function Band({
  win,
  expected,
  band,
  beyond,
}: Record<"win" | "expected" | "band", string> & Pick<Tile, "beyond">) {
  const off = (Number(win) - Number(expected)) / (Number(band) || 1);
  return (
    <span class="tile-band within" aria-hidden="true">
      <i class={beyond ?? ""} style={{ left: `${Math.min(99, Math.max(1, 50 + off * 25))}%` }} />
    </span>
  );
}

/** Seven seats from the pit's side: box 1 at the right. */
function Seats({ tile }: { tile: Tile }) {
  const middle = (tile.seats.length - 1) / 2;
  const seats = tile.seats.map((seat, index) => ({ seat, box: index + 1 })).reverse();
  return (
    <span class="tile-seats flex between" aria-hidden="true">
      {seats.map(({ seat, box }) => (
        <i
          key={box}
          class={seat}
          style={{ marginTop: `${Math.round(12 - Math.abs(box - 1 - middle) * 4)}px` }}
        >
          {box}
        </i>
      ))}
    </span>
  );
}

/** A screen on the wall: everything large, nothing to press. */
export function Wall() {
  const i18n = useI18n();
  const { tiles, sum } = useShift();
  const places = usePlaces();
  const now = useSince(0);
  return (
    <main class="wall stack gap-16" aria-label={i18n.text("ui.wall")}>
      <header class="flex wrap between">
        <span>
          <Open tiles={tiles} />
        </span>
        {sum && <SumFigures sum={sum} whole />}
        <UsualAnswer answered={useAnswered()} />
        <b>{i18n.clock(now)}</b>
      </header>
      <div class="tiles grid gap-12 low scroll-y fill">
        {places.map(({ key, name, tile }) =>
          tile ? (
            <div
              key={key}
              class={`stack slim to-left ground-1 edge-key rounded ${lookOf(tile)}`}
              data-tile={name}
            >
              <TileFace tile={tile} i18n={i18n} whole />
            </div>
          ) : (
            <Free key={key} name={name} />
          ),
        )}
      </div>
    </main>
  );
}

/** The win of all tables, named, with what the rules let expect. */
export function SumFigures({
  sum,
  whole = false,
}: {
  sum: NonNullable<ReturnType<typeof useShift>["sum"]>;
  whole?: boolean;
}) {
  const i18n = useI18n();
  const money = (amount: string): string => i18n.money(whole ? units(amount) : amount);
  return (
    <span class="floor-sum" data-floor-sum>
      {i18n.text("ui.shift_win")} <b>{money(sum.win.money)}</b>{" "}
      {sum.expected && sum.band && (
        <small>
          {i18n.text("ui.panel_expected", { amount: money(sum.expected.money) })} ± {money(sum.band.money)}
        </small>
      )}
    </span>
  );
}

type Answered = AnsweredRow & { table: string };

/** What was answered last at any table, the newest first. */
export function useAnswered(): readonly Answered[] {
  const { tiles } = useShift();
  return tiles
    .flatMap(({ table, answered }) => answered.map((one) => ({ ...one, table })))
    .sort((one, other) => other.at_utc_us - one.at_utc_us);
}

/** How long an answer took: the middle one of these; nothing before the first answer. */
export function UsualAnswer({ answered }: { answered: readonly Answered[] }) {
  const i18n = useI18n();
  const spent = answered.map((one) => one.at_utc_us - one.since_utc_us).sort((one, other) => one - other);
  const middle = spent[Math.floor(spent.length / 2)];
  return middle === undefined ? null : (
    <span>{i18n.text("ui.answered_usually", { time: clockOf(middle) })}</span>
  );
}
