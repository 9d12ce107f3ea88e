// The whole record: who did what, in sentences, newest first; rulings chosen, and as a file to take along.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";
import { useFetched } from "../server/fetched";
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
  const query = new URLSearchParams({
    who,
    ...(round && { round }),
    ...(group !== "all" && { group }),
  }).toString();
  const trail = useFetched<AuditTrail>(
    `/api/audit?${query}${before === null ? "" : `&before=${before}`}`,
    before ?? seq,
    PACE_MS,
  );
  const filter = (changed: Record<string, string>): void => {
    setBefore(null);
    go(addressOf("record", "", { who, round, find, group, ...changed }), true);
  };
  const rows = saidOnce(trail?.rows ?? []).filter(
    ({ row }) => row.text && i18n.say(row.text).toLowerCase().includes(find.toLowerCase()),
  );
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
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <div class="scrolls deeds" tabIndex={0}>
        {trail?.kept_back && <p class="quiet">{i18n.text("ui.audit_kept_back")}</p>}
        {trail && rows.length === 0 && <p class="quiet">{i18n.text(`ui.record_none_${group}`)}</p>}
        {rows.length > 0 && (
          <table>
            <Heads heads={HEADS} amounts={MONEY} />
            <tbody>
              {rows.map(({ row, times }) => (
                <Entry key={row.seq} row={row} times={times} go={go} />
              ))}
            </tbody>
          </table>
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

const MONEY = ["ui.correction_before", "ui.correction_after", "ui.to_the_house"];
const HEADS = ["ui.time", "ui.record_what", ...MONEY, "ui.signed_by"];

interface EntryProps {
  row: AuditRow;
  times: number;
  go: Go;
}

/** An old figure is struck through beside the new one; who signed stands last. */
function Entry({ row, times, go }: EntryProps) {
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
      <td class="amount">{money(row.change)}</td>
      <td>{[i18n.value(row.by), row.second].filter(Boolean).join(", ")}</td>
    </tr>
  );
}

function Signed({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  return trail.signature ? (
    <>{i18n.text("ui.signed_at", { time: i18n.clock(trail.signature.at_utc_us) })}</>
  ) : (
    <>{i18n.text("ui.signed_none")}</>
  );
}
