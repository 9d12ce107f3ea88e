// The whole record: who did what, in sentences, newest first; rulings chosen, and as a file to take along.

import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";
import { fetchJson, useFetched } from "../server/fetched";
import { roundAddress } from "../shared/address";
import { SmallKey } from "../shared/small-key";
import type { AuditRow, AuditTrail, Money } from "../view";
import { Heads } from "./heads";
import { Link } from "./link";
import { addressOf, type Go, type Place } from "./place";
import { ChainState, saidOnce } from "./who-did-what";

/** Read by people, not by the second. */
const PACE_MS = 1000;

/** What somebody looks for, rulings first; all entries, cards among them, last. */
const GROUPS = ["rulings", "money", "stops", "people", "all"] as const;

/** Of which time; the shift where none is chosen. */
const SPANS = ["hour", "shift", "all"] as const;
/** A search reads so many entries at once, until so many fit or the journal begins. */
const READ_ROWS = 500;
const FOUND_MAX = 200;

interface Props {
  seq: number;
  place: Place;
  go: Go;
}

/** Another filter begins at the newest entry again; an older page stays as it is while the table goes on. */
export function RecordPage({ seq, place, go }: Props) {
  const i18n = useI18n();
  const [who, round] = [place.query.get("who") ?? "", place.query.get("round") ?? ""];
  const find = place.query.get("find") ?? "";
  const group = GROUPS.find((one) => one === place.query.get("group")) ?? "rulings";
  const [before, setBefore] = useState<number | null>(null);
  const span = SPANS.find((one) => one === place.query.get("time")) ?? "shift";
  const [since, until] = [place.query.get("since") ?? "", place.query.get("until") ?? ""];
  const query = new URLSearchParams({
    who,
    ...(round && { round }),
    ...(group !== "all" && { group }),
    ...(span !== "all" && { time: span }),
    ...(since && { since: seconds(since) }),
    ...(until && { until: seconds(until) }),
  }).toString();
  const newest = useFetched<AuditTrail>(
    `/api/audit?${query}${before === null ? "" : `&before=${before}`}`,
    before ?? seq,
    PACE_MS,
  );
  const filter = (changed: Record<string, string>): void => {
    setBefore(null);
    go(addressOf("record", "", { who, round, find, group, time: span, since, until, ...changed }), true);
  };
  const wanted = find.toLowerCase();
  const fits = (row: AuditRow): boolean =>
    row.text !== null && i18n.say(row.text).toLowerCase().includes(wanted);
  const { trail, reads } = useSearch(newest, query, wanted, fits);
  const rows = saidOnce((trail?.rows ?? []).filter(fits));
  return (
    <main class="page record">
      <header class="page-head">
        <h1>{i18n.text("ui.page_record")}</h1>
        <span class="quiet">
          <ChainState trail={trail} /> · <Signed trail={trail} />
        </span>
        <span class="spring" />
        <label>
          {i18n.text("ui.find_words")}
          <input name="find" value={find} onInput={(event) => filter({ find: event.currentTarget.value })} />
        </label>
        <label>
          {i18n.text("ui.audit_who")}
          <input
            name="who"
            maxLength={60}
            value={who}
            onInput={(event) => filter({ who: event.currentTarget.value })}
          />
        </label>
        <label>
          {i18n.text("ui.round")}
          <input
            name="round"
            inputMode="numeric"
            value={round}
            onInput={(event) => filter({ round: event.currentTarget.value.replace(/\D/g, "") })}
          />
        </label>
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            class="key-small"
            data-export={format}
            href={at(`/api/audit/export?format=${format}&${query}`)}
            download
          >
            {i18n.text(`ui.export_${format}`)}
          </a>
        ))}
      </header>
      <div class="filters">
        {GROUPS.map((one) => (
          <SmallKey
            key={one}
            data-group={one}
            aria-pressed={one === group}
            onClick={() => filter({ group: one })}
          >
            {i18n.text(`ui.record_${one}`)} {one !== "all" && <b>{trail?.counts[one]}</b>}
          </SmallKey>
        ))}
        <span class="spring" />
        {SPANS.map((one) => (
          <SmallKey
            key={one}
            data-span={one}
            aria-pressed={one === span && !since && !until}
            onClick={() => filter({ time: one, since: "", until: "" })}
          >
            {i18n.text(`ui.time_${one}`)}
          </SmallKey>
        ))}
        {(["since", "until"] as const).map((end) => (
          <label key={end} class="span">
            {i18n.text(`ui.time_${end}`)}
            <input
              type="datetime-local"
              name={end}
              value={end === "since" ? since : until}
              onChange={(event) => filter({ [end]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <div class="scrolls deeds" tabIndex={0}>
        {trail?.kept_back && <p class="quiet">{i18n.text("ui.audit_kept_back")}</p>}
        {trail && rows.length === 0 && !reads && <p class="quiet">{i18n.text(`ui.record_none_${group}`)}</p>}
        {rows.length > 0 && (
          <table>
            <Heads heads={HEADS} amounts={MONEY} />
            <tbody>
              {rows.map(({ row, times }) => (
                <Entry key={row.seq} row={row} times={times} go={go} rules={group === "rulings"} />
              ))}
            </tbody>
          </table>
        )}
        {reads && (
          <p class="quiet" role="status" data-reads>
            {i18n.text("ui.record_reads", { time: i18n.clock(trail?.rows.at(-1)?.at_utc_us ?? 0) })}
          </p>
        )}
      </div>
      <footer class="page-foot">
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
      </footer>
    </main>
  );
}

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
const HEADS = ["ui.time", "ui.record_what", ...MONEY, "ui.signed_by"];

interface EntryProps {
  row: AuditRow;
  times: number;
  go: Go;
  /** Rulings alone are shown: one that moved no money says so. */
  rules: boolean;
}

/** An old figure is struck through beside the new one; who signed stands last. */
function Entry({ row, times, go, rules }: EntryProps) {
  const i18n = useI18n();
  const money = (amount: Money | null): string => (amount ? i18n.money(amount.money) : "");
  return (
    <tr data-entry={row.seq}>
      <td>
        <time>{i18n.clock(row.at_utc_us, true)}</time>
      </td>
      <td>
        {row.text && i18n.say(row.text)}
        {times > 1 && <b> × {times}</b>}{" "}
        {row.round !== null && (
          <Link to={roundAddress(row.round)} go={go} class="in-text">
            {i18n.text("ui.round_number", { round: row.round })}
          </Link>
        )}
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

function Signed({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  return trail.signature
    ? i18n.text("ui.signed_at", { time: i18n.clock(trail.signature.at_utc_us) })
    : i18n.text("ui.signed_none");
}
