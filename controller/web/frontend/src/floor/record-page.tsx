// The whole record: who did what, in sentences, newest first; by person or round, and as a file to take along.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";
import { useFetched } from "../server/fetched";
import { roundAddress } from "../shared/address";
import { SmallKey } from "../shared/small-key";
import type { AuditTrail } from "../view";
import { Link } from "./link";
import { addressOf, type Go, type Place } from "./place";
import { ChainState, saidOnce } from "./who-did-what";

interface Props {
  seq: number;
  place: Place;
  go: Go;
}

/** Another filter begins at the newest entry again; an older page stays as it is while the table goes on. */
export function RecordPage({ seq, place, go }: Props) {
  const i18n = useI18n();
  const [who, round] = [place.query.get("who") ?? "", place.query.get("round") ?? ""];
  const [before, setBefore] = useState<number | null>(null);
  const query = new URLSearchParams({ who, ...(round && { round }) }).toString();
  const trail = useFetched<AuditTrail>(
    `/api/audit?${query}${before === null ? "" : `&before=${before}`}`,
    before ?? seq,
  );
  const filter = (changed: { who?: string; round?: string }): void => {
    setBefore(null);
    go(addressOf("record", "", { who, round, ...changed }), true);
  };
  return (
    <main class="page record">
      <header class="page-head">
        <h1>{i18n.text("ui.page_record")}</h1>
        <span class="quiet">
          <ChainState trail={trail} /> · <Signed trail={trail} />
        </span>
        <span class="spring" />
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <ul class="scrolls deeds" tabIndex={0}>
        {trail?.kept_back && <li class="quiet">{i18n.text("ui.audit_kept_back")}</li>}
        {saidOnce(trail?.rows ?? []).map(
          (row) =>
            row.text && (
              <li key={row.seq} data-entry={row.seq}>
                <time>{i18n.clock(row.at_utc_us, true)}</time>
                <span>
                  {i18n.say(row.text)}{" "}
                  {row.round !== null && (
                    <Link to={roundAddress(row.round)} go={go} class="in-text">
                      {i18n.text("ui.round_number", { round: row.round })}
                    </Link>
                  )}
                </span>
              </li>
            ),
        )}
      </ul>
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

function Signed({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  return trail.signature ? (
    <>{i18n.text("ui.signed_at", { time: i18n.clock(trail.signature.at_utc_us) })}</>
  ) : (
    <>{i18n.text("ui.signed_none")}</>
  );
}
