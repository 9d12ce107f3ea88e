// The journal as it stands: newest first, by kind, person or round, and as a file to take along.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { useFetched } from "../../server/fetched";
import type { AuditRow, AuditTrail } from "../../view";

/** A page of the trail. Another filter begins at the newest entry again. */
export function AuditPage({ seq }: { seq: number }) {
  const i18n = useI18n();
  const [wanted, setWanted] = useState({ kind: "", who: "", round: "" });
  const [before, setBefore] = useState<number | null>(null);
  const given = Object.entries(wanted)
    .map(([name, value]) => [name, value.trim()])
    .filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  const page = before === null ? "" : `&before=${before}`;
  // An older page stays as it is while the table goes on.
  const trail = useFetched<AuditTrail>(`/api/audit?${query}${page}`, before ?? seq);
  const filter = (name: keyof typeof wanted, value: string): void => {
    setBefore(null);
    setWanted((was) => ({ ...was, [name]: value }));
  };
  return (
    <>
      <Proof trail={trail} />
      <div class="filters">
        <label>
          {i18n.text("ui.audit_kind")}
          <select
            name="kind"
            value={wanted.kind}
            onChange={(event) => filter("kind", event.currentTarget.value)}
          >
            <option value="">{i18n.text("ui.audit_all")}</option>
            {trail?.kinds.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          {i18n.text("ui.audit_who")}
          <input
            name="who"
            maxLength={60}
            value={wanted.who}
            // As it is typed: what is not told yet would be gone with the table's next move.
            onInput={(event) => filter("who", event.currentTarget.value)}
          />
        </label>
        <label>
          {i18n.text("ui.round")}
          <input
            name="round"
            inputMode="numeric"
            value={wanted.round}
            onInput={(event) => filter("round", event.currentTarget.value.replace(/\D/g, ""))}
          />
        </label>
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            class="plain"
            data-export={format}
            href={`/api/audit/export?format=${format}&${query}`}
            download
          >
            {format.toUpperCase()}
          </a>
        ))}
      </div>
      {trail ? <Entries rows={trail.rows} /> : <p class="quiet">{i18n.text("ui.loading")}</p>}
      <div class="pages">
        <button
          type="button"
          class="plain"
          data-key="NEWEST"
          disabled={before === null}
          onClick={() => setBefore(null)}
        >
          {i18n.text("ui.audit_newest")}
        </button>
        <button
          type="button"
          class="plain"
          data-key="OLDER"
          disabled={!trail || trail.older === null}
          onClick={() => setBefore(trail?.older ?? null)}
        >
          {i18n.text("ui.audit_older")}
        </button>
      </div>
    </>
  );
}

/** What the chain and the signatures say, and what is kept back. */
function Proof({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  const { chain, signature } = trail;
  return (
    <p class={chain.broken_seq === null ? "quiet" : "problem"} data-chain={chain.broken_seq ?? "whole"}>
      {chain.broken_seq === null
        ? i18n.text("ui.chain_whole", { entries: chain.checked_seq })
        : i18n.text("ui.chain_broken", { entry: chain.broken_seq, code: chain.broken_code })}{" "}
      {signature
        ? i18n.text("ui.signed_to", {
            entry: signature.seq,
            time: i18n.clock(signature.at_utc_us),
            key: signature.key.slice(0, 8),
          })
        : i18n.text("ui.signed_none")}{" "}
      {trail.kept_back && i18n.text("ui.audit_kept_back")}
    </p>
  );
}

function Entries({ rows }: { rows: readonly AuditRow[] }) {
  const i18n = useI18n();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <section class="ledger" tabIndex={0} aria-label={i18n.text("ui.shift_audit")}>
      <table class="preview trail">
        <thead>
          <tr>
            <th class="amount">{i18n.text("ui.audit_entry")}</th>
            <th>{i18n.text("ui.audit_time")}</th>
            <th class="amount">{i18n.text("ui.round")}</th>
            <th>{i18n.text("ui.audit_kind")}</th>
            <th>{i18n.text("ui.audit_who")}</th>
            <th>{i18n.text("ui.audit_what")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.seq} data-entry={row.seq}>
              <td class="amount">{row.seq}</td>
              <td>{row.at_utc_us > 0 && i18n.clock(row.at_utc_us)}</td>
              <td class="amount">{row.round}</td>
              <td>{row.kind}</td>
              <td>{row.actor}</td>
              <td>
                <code>{row.body}</code> {row.hash && <small>{row.hash.slice(0, 12)}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
