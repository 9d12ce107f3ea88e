// Who did what, in a round and in the shift, and the devices that need somebody.
import { useEffect, useRef } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { SmallKey } from "../shared/keys";
import type { AuditRow, AuditTrail, RoundSheet } from "../view";
import { Section } from "./list";
import type { PitTable } from "./live-table";
import { addressOf, type Go, Link, type Played, useShift } from "./place";

interface DeedsProps {
  sheet: RoundSheet;
  played: Played;
  /** Sentences about another box step back. */
  box: number | null;
}

/** A press on a sentence takes the felt to that moment. */
export function Deeds({ sheet, played, box }: DeedsProps) {
  const i18n = useI18n();
  const entry = played.file?.steps[played.step]?.entry ?? 0;
  const here = sheet.deeds.findLast((deed) => deed.seq <= entry)?.seq;
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sentence moves with what is marked.
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>(".here");
    // The list alone: on a phone the page itself stays where it is.
    if (list.current && marked)
      list.current.scrollTop = marked.offsetTop - list.current.offsetTop - list.current.clientHeight / 2;
  }, [here]);
  const toDeed = (seq: number): void => {
    const steps = played.file?.steps ?? [];
    const at = steps.findLastIndex((step) => step.entry <= seq);
    if (at >= 0) played.toStep(at);
  };
  return (
    <Section
      class="did"
      name="ui.who_did_what"
      beside={i18n.text("ui.entries", { count: sheet.deeds.length })}
    >
      <ul class="scrolls stack gap-6 bright" ref={list}>
        {sheet.deeds.map((deed) => (
          <li
            key={deed.seq}
            class={[deed.seq === here ? "here" : "", deed.differs || deed.stops ? "differs" : ""].join(" ")}
            data-entry={deed.seq}
            data-other-box={box !== null && deed.box !== null && deed.box !== box}
          >
            <button
              class="grid level gap-8 whole-width to-left"
              type="button"
              onClick={() => toDeed(deed.seq)}
            >
              <time>{i18n.clock(deed.at_utc_us, true)}</time>
              <span>{i18n.say(deed.text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

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
    <Section class="did" name="ui.who_did_what" beside={<ChainState trail={trail} />}>
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
    </Section>
  );
}

/** One entry: when, and its sentence. */
export function Deed({ row, times = 1 }: { row: Pick<AuditRow, "at_utc_us" | "text">; times?: number }) {
  const i18n = useI18n();
  return (
    <li>
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

/** A press opens what the pit may have them do: the shoe's lock, a fault to clear, a camera to calibrate. */
export function Devices({ table: { view, open } }: { table: PitTable }) {
  const i18n = useI18n();
  const bad = view.devices.filter((device) => device.state !== "live");
  const well = view.devices.length - bad.length;
  return (
    <Section
      class="devices-box still"
      name="ui.devices_title"
      beside={i18n.text("ui.devices_up", { up: well, all: view.devices.length })}
    >
      <ul>
        {bad.map((device) => (
          <li class="row" key={device.name} data-device={device.name}>
            <i class={device.state} aria-hidden="true">
              {device.state === "lost" ? "✕" : "!"}
            </i>
            <b>{device.name}</b>
            <span class="quiet">{i18n.text(`ui.device_${device.state}`)}</span>
          </li>
        ))}
        {bad.length === 0 && <li class="quiet row">{i18n.text("ui.devices_all_well")}</li>}
      </ul>
      <SmallKey data-key="DEVICES" onClick={() => open({ open: "devices" })}>
        {i18n.text("key.DEVICES")}
      </SmallKey>
    </Section>
  );
}
