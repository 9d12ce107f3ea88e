// The rounds of the day: found by time, number, box, amount, dealer or code, paged; each is a link to its page.

import { useState } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import { pitPage, pitPageOf, roundAddress, useFetched } from "../server/http";
import { Choice, SmallKey } from "../shared/keys";
import type { RoundRow } from "../view";
import { Difference, Filters, Heads, Scrolls, Search, useChosen } from "./list";
import { addressOf, type Go, Link, type Place, useShift } from "./place";
import { AllTables } from "./tiles";

interface Props {
  table: string;
  place: Place;
  go: Go;
  /** The rounds of all tables. */
  floor?: boolean;
}

const KINDS = ["differences", "stops", "corrected", "by_hand"] as const;
const PAGE = 50;

/** What is looked for stands in the address: a list can be sent on as it is. */
export function RoundsPage({ table, place, go, floor = false }: Props) {
  const i18n = useI18n();
  const asked = (name: string): string => place.query.get(name) ?? "";
  const [find, kind, dealer, shoe] = [asked("find"), asked("kind"), asked("dealer"), asked("shoe")];
  const page = Number(place.query.get("page")) || 0;
  const to = (changed: Record<string, string>): void => {
    const wanted = { find, kind, dealer, shoe, page: "", ...changed };
    go(floor ? addressOf("floor", "rounds", wanted) : addressOf("rounds", "", wanted), true);
  };
  const list = useShift().rounds;
  // A round of another table is on that table's page.
  const open = (row: RoundRow): void =>
    floor ? location.assign(addressOfRow(row, true)) : go(roundAddress(row.round));
  const [chosen, setChosen] = useState<string | null>(null);
  const all = list ? [...list.open, ...list.rows] : [];
  const named = all.map((row) => ({ name: keyOf(row), stops: row.open }));
  useChosen(named, chosen, setChosen, () => {
    const row = all.find((one) => keyOf(one) === chosen);
    if (row) open(row);
  });
  const pages = list ? Math.ceil((list.found - list.open.length) / PAGE) : 0;
  return (
    <main class="page rounds">
      <header class="page-head">
        <h1>{i18n.text("ui.page_rounds")}</h1>
        {list && (
          <span class="quiet">
            {floor ? "" : `${table} · `}
            {list.since_utc_us > 0 && since(i18n, list.since_utc_us)}
            <b>{i18n.text("ui.rounds_count", { count: list.rounds })}</b> · {i18n.text("ui.house")}{" "}
            <b>{i18n.money(list.house.money)}</b>
          </span>
        )}
      </header>
      <div class="find flex wrap gap-8">
        <AllTables page="rounds" all={floor} go={go} />
        {!floor && <Days table={table} />}
        <Search name="ui.rounds_find" find={find} onFind={(text) => to({ find: text })} />
        <Filters
          attribute="data-kind"
          names={KINDS}
          chosen={kind}
          label={(name) => (
            <>
              {i18n.text(`ui.rounds_${name}`)}{" "}
              <b class={name === "differences" && list?.counts[name] ? "differs" : ""}>
                {list?.counts[name] ?? 0}
              </b>
            </>
          )}
          onChoose={(name) => to({ kind: kind === name ? "" : name })}
        />
        <Choice
          name="ui.rounds_head_dealer"
          own={i18n.text("ui.rounds_all_dealers")}
          names={list?.dealers ?? []}
          value={dealer}
          onValue={(name) => to({ dealer: name })}
        />
        <Choice
          name="ui.shoe"
          own={i18n.text("ui.rounds_all_shoes")}
          names={list?.shoes.map(String) ?? []}
          value={shoe}
          onValue={(number) => to({ shoe: number })}
        />
      </div>
      <Scrolls>
        <table class="rounds-table">
          <Heads heads={floor ? ["ui.table", ...HEADS] : HEADS} amounts={AMOUNTS} />
          {list && list.open.length > 0 && (
            <Group
              title={i18n.text("ui.rounds_open", { count: list.open.length })}
              rows={list.open}
              floor={floor}
              chosen={chosen}
              onOpen={open}
            />
          )}
          {list && (
            <Group
              title={
                find || kind || dealer || shoe
                  ? i18n.text("ui.rounds_found", { count: list.found })
                  : i18n.text("ui.rounds_newest")
              }
              rows={list.rows}
              floor={floor}
              chosen={chosen}
              onOpen={open}
            />
          )}
        </table>
        {list?.found === 0 && <p class="quiet">{i18n.text("ui.rounds_none")}</p>}
      </Scrolls>
      <footer class="page-foot row gap-12">
        <SmallKey data-key="NEWER" disabled={page === 0} onClick={() => to({ page: String(page - 1) })}>
          {i18n.text("ui.page_newer")}
        </SmallKey>
        <span class="quiet">{i18n.text("ui.page_of", { page: page + 1, pages: Math.max(pages, 1) })}</span>
        <SmallKey
          data-key="OLDER"
          disabled={page + 1 >= pages}
          onClick={() => to({ page: String(page + 1) })}
        >
          {i18n.text("ui.page_older")}
        </SmallKey>
        <span class="spring" />
        <span class="quiet keys">{i18n.text("ui.rounds_keys")}</span>
      </footer>
    </main>
  );
}

/** The days of this table that are kept: each has the pages of the running one. */
function Days({ table }: { table: string }) {
  const [newest, ...older] = useFetched<string[]>("/api/days", 0) ?? [];
  if (newest === undefined || older.length === 0) return null;
  const day = olderDay();
  const open = (named: string): void =>
    location.assign(`${pitPageOf(named ? `${table}@${named}` : table)}/rounds`);
  return (
    <Choice
      name="ui.rounds_day"
      own={newest}
      names={older}
      value={older.includes(day) ? day : ""}
      onValue={open}
    />
  );
}

/** "Tue 24 Nov · 19:48 to now · "; of an older day nobody says that it goes on. */
const since = (i18n: I18n, utcUs: number): string => {
  const begun = i18n.clock(utcUs);
  return `${i18n.day(utcUs)} · ${olderDay() ? begun : i18n.text("ui.rounds_since", { time: begun })} · `;
};

/** The day that this page's address names, "" where it is about the running one. */
const olderDay = (): string => decodeURIComponent(pitPage()).split("@")[1] ?? "";

const keyOf = ({ table, round }: RoundRow): string => `${table} ${round}`;

/** The page of a round, of its own table where the list has several. */
const addressOfRow = ({ table, round }: RoundRow, floor: boolean): string =>
  floor ? `${pitPageOf(table)}/rounds/${round}` : roundAddress(round);

const HEADS = [
  "ui.rounds_head_time",
  "ui.rounds_head_round",
  "ui.rounds_head_dealer",
  "ui.rounds_head_boxes",
  "ui.rounds_head_dealer_has",
  "ui.rounds_head_stakes",
  "ui.rounds_head_house",
  "ui.rounds_head_difference",
  "ui.rounds_head_happened",
  "ui.rounds_head_code",
];
const AMOUNTS = ["ui.rounds_head_stakes", "ui.rounds_head_house", "ui.rounds_head_difference"];

interface GroupProps {
  title: string;
  rows: readonly RoundRow[];
  chosen: string | null;
  floor: boolean;
  onOpen: (row: RoundRow) => void;
}

function Group({ title, rows, chosen, floor, onOpen }: GroupProps) {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={HEADS.length + Number(floor)}>
          {title}
        </th>
      </tr>
      {rows.map((row) => (
        <Row key={keyOf(row)} row={row} chosen={keyOf(row) === chosen} floor={floor} onOpen={onOpen} />
      ))}
    </tbody>
  );
}

interface RowProps extends Pick<GroupProps, "floor" | "onOpen"> {
  row: RoundRow;
  chosen: boolean;
}

function Row({ row, chosen, floor, onOpen }: RowProps) {
  const i18n = useI18n();
  const look = [row.open ? "differs" : row.corrected ? "corrected" : "", chosen ? "chosen" : ""].join(" ");
  return (
    <tr class={look} data-round={row.round} aria-selected={chosen} onClick={() => onOpen(row)}>
      {floor && <th scope="row">{row.table}</th>}
      <td>{i18n.clock(row.at_utc_us)}</td>
      <td>
        <Link to={addressOfRow(row, floor)} go={() => onOpen(row)} class="">
          {row.round}
        </Link>
      </td>
      <td>{row.dealer || "–"}</td>
      <td>
        <span class="boxes gap-4">
          {row.boxes.map((mark, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in the row is the number of the box.
            <i key={index} class={`ground-3 ${mark}`}>
              {index + 1}
            </i>
          ))}
        </span>
      </td>
      <td>{row.dealer_has}</td>
      <td class="amount">{i18n.money(row.stakes.money)}</td>
      <td class="amount">{i18n.money(row.house.money)}</td>
      <td class="amount">
        <Difference amount={row.difference} differs={row.open} />
      </td>
      <td class="happened">{row.happened.map((words) => i18n.say(words)).join(" · ")}</td>
      <td>{row.code}</td>
    </tr>
  );
}
