// Who did what, newest first, in sentences; the whole record is a page of its own.
import { useI18n } from "../i18n/context";
import type { AuditRow, AuditTrail } from "../view";
import { Link } from "./link";
import { addressOf, type Go } from "./place";
import { useShift } from "./shift";

/** What happens many times a round, and says nothing to somebody who looks for what was special. */
const USUAL: readonly string[] = [
  "did.bet",
  "did.bet_off",
  "did.card",
  "did.card_hidden",
  "did.handled",
  "did.end",
  "did.payout_right",
  "did.waiting",
  "did.inferred",
  "did.insurance_none",
];
const ROWS = 12;

/** The entries that are worth a sentence here. */
const special = (row: AuditRow): boolean =>
  row.text !== null && !USUAL.includes(row.text.code) && !row.text.code.startsWith("did.decision_");

/** Whether two entries that stand beside each other are one thing. */
const isTheSame = ({ text }: AuditRow, other: AuditRow | undefined): boolean =>
  other !== undefined &&
  text?.code.split(".")[1] === other.text?.code.split(".")[1] &&
  JSON.stringify(text?.params) === JSON.stringify(other.text?.params);

/** Entries that say the same once, with how many: what stops the table is an alert and a stop. */
export function saidOnce(rows: readonly AuditRow[]): { row: AuditRow; times: number }[] {
  const once: { row: AuditRow; times: number }[] = [];
  for (const row of rows) {
    const last = once.at(-1);
    if (last && isTheSame(row, last.row)) last.times += row.kind === last.row.kind ? 1 : 0;
    else once.push({ row, times: 1 });
  }
  return once;
}

export function WhoDidWhat({ go }: { go: Go }) {
  const i18n = useI18n();
  const { trail } = useShift();
  const found = (trail?.rows ?? []).filter(special);
  const rows = saidOnce(found).slice(0, ROWS);
  return (
    <section class="did" aria-label={i18n.text("ui.who_did_what")}>
      <h2>
        {i18n.text("ui.who_did_what")}
        <span>
          <ChainState trail={trail} />
        </span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <ul class="scrolls stack gap-6 bright" tabIndex={0}>
        {rows.map(({ row, times }) => (
          <Deed key={row.seq} row={row} times={times} />
        ))}
        {trail?.kept_back && <li class="quiet">{i18n.text("ui.audit_kept_back")}</li>}
      </ul>
      <Link to={addressOf("record")} go={go} name="to-record" class="more">
        {i18n.text("ui.page_record")}
      </Link>
    </section>
  );
}

/** One entry: when, and its sentence. */
function Deed({ row, times }: { row: AuditRow; times: number }) {
  const i18n = useI18n();
  return (
    <li data-entry={row.seq}>
      <time>{i18n.clock(row.at_utc_us, true)}</time>
      <span>
        {row.text && i18n.say(row.text)}
        {times > 1 && <b> × {times}</b>}
      </span>
    </li>
  );
}

/** Whether the record's chain holds. */
export function ChainState({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  return trail.chain.broken_seq === null ? (
    i18n.text("ui.record_unbroken")
  ) : (
    <b class="differs" data-chain={trail.chain.broken_seq}>
      {i18n.text("ui.record_broken", { entry: trail.chain.broken_seq })}
    </b>
  );
}
