// The whole record: who did what, in sentences, newest first; rulings chosen, and as a file to take along.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { cardSought, decimals, digitsOf, type I18n, minorUnits, useI18n } from "../i18n/i18n";
import { RoundPictures } from "../pit/camera-doubt";
import { fetchJson, roundAddress, useFetched } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { AuditRow, AuditTrail, Money, RoundSheet } from "../view";
import { ChainState, Deed, saidOnce } from "./deeds";
import { Exports, Filters, Heads, MomentField, Scrolls, Search, Section, useChosen } from "./list";
import type { PitTable } from "./live-table";
import { addressOf, type Go, Link, type Place } from "./place";
import { Correction, Detail } from "./round-page";

/** Read by people, not by the second. */
const PACE_MS = 1000;

/** What somebody looks for, rulings first; all entries, cards among them, last. */
const GROUPS = ["rulings", "money", "stops", "people", "all"] as const;

/** Of which time; the shift where none is chosen. */
const SPANS = ["hour", "shift", "all"] as const;
/** A search reads so many entries at once, until so many fit or the journal begins. */
const READ_ROWS = 500;
const FOUND_MAX = 200;

/** Another filter begins at the newest entry again; an older page stays as it is while the table goes on. */
export function RecordPage({ table: { view, off, open, go }, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const asked = (name: string): string => place.query.get(name) ?? "";
  const [find, since, until] = [asked("find"), asked("since"), asked("until")];
  const group = GROUPS.find((one) => one === asked("group")) ?? "rulings";
  const span = SPANS.find((one) => one === asked("time")) ?? "shift";
  const [before, setBefore] = useState<number | null>(null);
  const query = new URLSearchParams({
    ...(group !== "all" && { group }),
    ...(span !== "all" && { time: span }),
    ...(since && { since: seconds(since) }),
    ...(until && { until: seconds(until) }),
  }).toString();
  const newest = useFetched<AuditTrail>(
    `/api/audit?${query}${before === null ? "" : `&before=${before}`}`,
    before ?? view.seq,
    PACE_MS,
  );
  const to = (changed: Record<string, string>): void =>
    go(addressOf("record", "", { find, group, time: span, since, until, ...changed }), true);
  const filter = (changed: Record<string, string>): void => {
    setBefore(null);
    to(changed);
  };
  const fits = fitsTo(find, i18n);
  const { trail, reads } = useSearch(newest, query, find, fits);
  const found = (trail?.rows ?? []).filter(fits);
  const rows = saidOnce(found);
  const shown = (rows.find(({ row }) => String(row.seq) === asked("entry")) ?? rows[0])?.row;
  // Only a round that has ended has a page.
  const closed = shown?.round && shown.round < view.round ? shown.round : null;
  useChosen(
    rows.map(({ row }) => ({ name: String(row.seq) })),
    shown ? String(shown.seq) : null,
    (entry) => to({ entry }),
    () => closed && go(roundAddress(closed)),
  );
  return (
    <main class="page record">
      <h1 class="hidden-text">{i18n.text("ui.page_record")}</h1>
      <div class="find flex wrap gap-8">
        <Search name="ui.record_find" find={find} onFind={(text) => filter({ find: text })} />
        <Filters
          attribute="data-span"
          names={SPANS}
          chosen={since || until ? null : span}
          label={(one) => i18n.text(`ui.time_${one}`)}
          onChoose={(one) => filter({ time: one, since: "", until: "" })}
        />
        <Exports forms={["csv", "json"]} path={(form) => `/api/audit/export?format=${form}&${query}`} />
      </div>
      <div class="filters flex wrap gap-8">
        <Filters
          attribute="data-group"
          names={GROUPS}
          chosen={group}
          label={(one) => (
            <>
              {i18n.text(`ui.record_${one}`)} {one !== "all" && <b>{trail?.counts[one]}</b>}
            </>
          )}
          onChoose={(one) => filter({ group: one })}
        />
        <span class="spring" />
        {(["since", "until"] as const).map((end) => (
          <MomentField
            key={end}
            name={end}
            label={i18n.text(`ui.time_${end}`)}
            value={end === "since" ? since : until}
            onValue={(value) => filter({ [end]: value })}
          />
        ))}
      </div>
      <Scrolls look="deeds">
        {trail?.kept_back && <p class="quiet">{i18n.text("ui.audit_kept_back")}</p>}
        {trail && rows.length === 0 && !reads && <p class="quiet">{i18n.text(`ui.record_none_${group}`)}</p>}
        {rows.length > 0 && (
          <table>
            <Heads heads={HEADS} amounts={MONEY} />
            <tbody>
              {rows.map(({ row, times }) => (
                <Entry
                  key={row.seq}
                  row={row}
                  times={times}
                  go={go}
                  rules={group === "rulings"}
                  chosen={row === shown}
                  onChoose={() => to({ entry: String(row.seq) })}
                />
              ))}
            </tbody>
          </table>
        )}
        {reads && (
          <p class="quiet" role="status" data-reads>
            {i18n.text("ui.record_reads", { time: i18n.clock(trail?.rows.at(-1)?.at_utc_us ?? 0) })}
          </p>
        )}
      </Scrolls>
      {shown && (
        <Chosen key={shown.seq} row={shown} round={closed}>
          {closed && (
            <>
              <Link to={roundAddress(closed)} go={go} name="entry-round" class="key-small main">
                {i18n.text("ui.open_round", { round: closed })}
              </Link>
              <SmallKey
                data-key="PUT_RIGHT"
                disabled={off}
                onClick={() => open({ open: "entered", at: { round: closed } })}
              >
                {i18n.text("ui.correct_again")}
              </SmallKey>
            </>
          )}
        </Chosen>
      )}
      <footer class="page-foot row gap-12">
        <SmallKey data-key="NEWEST" disabled={before === null} onClick={() => setBefore(null)}>
          {i18n.text("ui.audit_newest")}
        </SmallKey>
        <SmallKey
          data-key="OLDER"
          disabled={!trail || trail.older === null}
          onClick={() => setBefore(trail?.older ?? null)}
        >
          {i18n.text("ui.audit_older")}
        </SmallKey>
        <span data-sum>
          {i18n.text("ui.record_rows", { count: found.length, sum: { money: sumOf(found) } })}
        </span>
        <span class="spring" />
        <span class="quiet">
          <ChainState trail={trail} /> ·{" "}
          {trail &&
            (trail.signature
              ? i18n.text("ui.signed_at", { time: i18n.clock(trail.signature.at_utc_us) })
              : i18n.text("ui.signed_none"))}
        </span>
        <span class="quiet keys">{i18n.text("ui.record_keys")}</span>
      </footer>
    </main>
  );
}

/** What came to the house, or to the float, by the entries that are listed. */
function sumOf(rows: readonly AuditRow[]): string {
  const moved = rows.flatMap(({ change }) => change?.money ?? []);
  const minor = moved.map((one) => (minorUnits(one.slice(1)) ?? 0) * (one.startsWith("-") ? -1 : 1));
  const sum = minor.reduce((all, one) => all + one, 0);
  return (sum < 0 ? "-" : "+") + decimals(Math.abs(sum), digitsOf(moved[0] ?? "0.00"));
}

/** Each word stands in the sentence, its round, money or people; a place stays with its number: "box 2", "round 117". */
function fitsTo(find: string, i18n: I18n): (row: AuditRow) => boolean {
  const [box = "", round = ""] = [
    i18n.text("ui.box", { box: 0 }),
    i18n.text("ui.round_number", { round: 0 }),
  ].map((one) => one.split(/\s/)[0]?.toLowerCase());
  const words = find.toLowerCase().match(new RegExp(`(?:${box}|${round})\\s+\\d+|\\S+`, "g")) ?? [];
  const wanted = words.map((word) =>
    // "6s" is 6♠; a number is a whole one: 1 is not found in 12, 140 is in 140.00.
    cardSought(word).replace(/[\s.*+?^${}()|[\]\\]/g, (sign) => (/\s/.test(sign) ? "\\s+" : `\\${sign}`)),
  );
  const tests = wanted.map(
    (word) => new RegExp(/^\d/.test(word) ? `(?<!\\d)${word}(?!\\d)` : `${word}(?!\\d)`),
  );
  return ({ text, round, by, second, before, after, change }) => {
    if (text === null) return false;
    const money = [before, after, change].flatMap((one) => (one ? [one.money, i18n.money(one.money)] : []));
    const numbered = round === null ? "" : i18n.text("ui.round_number", { round });
    const said = [i18n.say(text), numbered, by, second, ...money].join(" ").toLowerCase();
    return tests.every((test) => test.test(said));
  };
}

interface ChosenProps {
  row: AuditRow;
  /** Its round, once that has ended. */
  round: number | null;
  /** What can be done with it. */
  children: ComponentChildren;
}

/** One entry: what was done, by whom and why, before and after with the money, what came before it. */
function Chosen({ row, round, children }: ChosenProps) {
  const i18n = useI18n();
  const [sheet, setSheet] = useState<RoundSheet | null>(null);
  const { seq, text, by, second } = row;
  useEffect(() => {
    if (round !== null) void fetchJson<RoundSheet>(`/api/rounds/${round}`).then(setSheet);
  }, [round]);
  const number = sheet?.corrections.findIndex((one) => one.seq === seq) ?? -1;
  const correction = sheet?.corrections[number];
  const deeds = sheet?.deeds.filter((deed) => deed.seq < seq) ?? [];
  return (
    <Detail name="ui.record_what" entry={seq} keys={children}>
      {correction ? (
        <Correction correction={correction} number={number + 1} />
      ) : (
        <Section
          class="correction"
          name="ui.correction_at"
          params={{ time: i18n.clock(row.at_utc_us, true), record: seq }}
        >
          <p>{text && i18n.say(text)}</p>
          {row.change && (
            <p>
              {row.before && <s>{i18n.money(row.before.money)}</s>}{" "}
              {row.after && <b class="after">{i18n.money(row.after.money)}</b>}{" "}
              {i18n.text("ui.correction_change")} <b>{i18n.money(row.change.money)}</b>
            </p>
          )}
          {by && (
            <p class="quiet">
              {i18n.text(second ? "ui.correction_by_two" : "ui.correction_by", { by, second })}
            </p>
          )}
        </Section>
      )}
      {correction && <RoundPictures number={round ?? 0} />}
      {deeds.length > 0 && (
        <Section class="did" name="ui.record_before">
          <ul class="stack gap-6 bright">
            {deeds.slice(-BEFORE).map((deed) => (
              <Deed key={deed.seq} row={deed} />
            ))}
          </ul>
        </Section>
      )}
    </Detail>
  );
}

/** Entries of the round that are shown before the chosen one. */
const BEFORE = 3;

/** Local date and time of a field as seconds since 1970. */
const seconds = (field: string): string => String(Math.floor(new Date(field).getTime() / 1000) || 0);

/** What is searched goes beyond the page in sight: older entries are read until enough fit. */
function useSearch(
  newest: AuditTrail | null,
  query: string,
  wanted: string,
  fits: (row: AuditRow) => boolean,
): { trail: AuditTrail | null; reads: boolean } {
  const [older, setOlder] = useState<{ key: string; rows: AuditRow[]; older: number | null } | null>(null);
  const key = `${query} ${wanted}`;
  const known = wanted && older?.key === key ? older : null;
  const now = newest?.rows ?? [];
  // What came since the search began stands before what was read.
  const rows = known ? [...now.filter((row) => row.seq > (known.rows[0]?.seq ?? 0)), ...known.rows] : now;
  const next = known ? known.older : (newest?.older ?? null);
  const reads = wanted !== "" && next !== null && rows.filter(fits).length < FOUND_MAX;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one question for each page that comes before.
  useEffect(() => {
    if (!reads) return;
    let open = true;
    void fetchJson<AuditTrail>(`/api/audit?${query}&rows=${READ_ROWS}&before=${next}`).then((page) => {
      if (open)
        setOlder({ key, rows: [...(known?.rows ?? now), ...(page?.rows ?? [])], older: page?.older ?? null });
    });
    return () => {
      open = false;
    };
  }, [key, next, reads]);
  return { trail: newest && { ...newest, rows, older: next }, reads };
}

const MONEY = ["ui.correction_before", "ui.correction_after", "ui.to_the_house"];
const HEADS = ["ui.time", "ui.round", "ui.record_what", ...MONEY, "ui.signed_by"];

interface EntryProps {
  row: AuditRow;
  times: number;
  go: Go;
  /** Rulings alone are shown: one that moved no money says so. */
  rules: boolean;
  chosen: boolean;
  onChoose: () => void;
}

/** An old figure is struck through beside the new one; who signed stands last. */
function Entry({ row, times, go, rules, chosen, onChoose }: EntryProps) {
  const i18n = useI18n();
  const money = (amount: Money | null): string => (amount ? i18n.money(amount.money) : "");
  const own = useRef<HTMLTableRowElement>(null);
  // Arrows lead beyond what is in sight.
  useEffect(() => {
    if (chosen) own.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <tr
      ref={own}
      data-entry={row.seq}
      class={chosen ? "chosen" : ""}
      aria-selected={chosen}
      onClick={onChoose}
    >
      <td>
        <time>{i18n.clock(row.at_utc_us, true)}</time>
      </td>
      <td>
        {row.round !== null && (
          <Link to={roundAddress(row.round)} go={go} class="in-text">
            {row.round}
          </Link>
        )}
      </td>
      <td>
        {row.text && i18n.say(row.text)}
        {times > 1 && <b> × {times}</b>}
      </td>
      <td class="amount">{row.before && <s>{money(row.before)}</s>}</td>
      <td class="amount after">{money(row.after)}</td>
      <td class="amount">
        {money(row.change) || (rules && <span class="quiet">{i18n.text("ui.no_money_moved")}</span>)}
      </td>
      <td>{[row.by, row.second].filter(Boolean).join(", ")}</td>
    </tr>
  );
}
