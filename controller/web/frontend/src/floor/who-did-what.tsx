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

/** What stops the table is an alert and a stop: one sentence is enough. */
export const saidOnce = (rows: readonly AuditRow[]): AuditRow[] =>
  rows.filter((row, index) => !isTheSame(row, rows[index - 1]));

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
      <ul class="scrolls" tabIndex={0}>
        {rows.map((row) => (
          <Deed key={row.seq} row={row} />
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
function Deed({ row }: { row: AuditRow }) {
  const i18n = useI18n();
  return (
    <li data-entry={row.seq}>
      <time>{i18n.clock(row.at_utc_us, true)}</time>
      <span>{row.text && i18n.say(row.text)}</span>
    </li>
  );
}

/** Whether the record's chain holds. */
export function ChainState({ trail }: { trail: AuditTrail | null }) {
  const i18n = useI18n();
  if (!trail) return null;
  return trail.chain.broken_seq === null ? (
    <>{i18n.text("ui.record_unbroken")}</>
  ) : (
    <b class="differs" data-chain={trail.chain.broken_seq}>
      {i18n.text("ui.record_broken", { entry: trail.chain.broken_seq })}
    </b>
  );
}
