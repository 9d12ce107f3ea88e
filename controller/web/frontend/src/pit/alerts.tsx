// The alerts and holds of a table at the dealer's tablet, and the dialog of an alert.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import { bettorName, placedCard } from "../i18n/sentences";
import { type Act, at, roundAddress } from "../server/http";
import { BoxSights } from "../shared/camera-view";
import { PlainKey, SmallKey } from "../shared/keys";
import type { AlertRow, DoubtRow, HeldEvidence, HoldRow, TableView, Words } from "../view";
import type { Way } from "../vocabulary";
import { TextField } from "./entered";
import { ActDialog, ALERT_REASONS, type AlertReason, Reasons } from "./ruling";
import { type Dialog, wayDialog } from "./ways";

/** A step for each of the alerts that the row joins. */
export function stepsOf(alert: AlertRow, step: "ack" | "assign" | "resolve", note = ""): readonly Act[] {
  return alert.alerts.map((number) => ({ do: "alert", alert: number, step, note }));
}

/** A card of the shoe's rest that is one too many: the usual answer is no ruling on a round, but a new count. */
const REST_EXTRA = "REST_CARD_EXTRA";

interface HoldListProps {
  view: TableView;
  off: boolean;
  onOpen: (dialog: Dialog) => void;
}

/** One row for each hold that has ways out; a hold without any is lifted by Go on. */
export function HoldList({ view, off, onOpen }: HoldListProps) {
  const i18n = useI18n();
  const holds = view.holds.filter((hold) => hold.ways.length > 0);
  if (holds.length === 0) return null;
  return (
    <section class="hold-list scroll-y ground-1" aria-label={i18n.text("ui.holds")}>
      {holds.map((hold) => (
        <Hold key={`${hold.code}.${hold.since_utc_us}`} hold={hold} view={view} off={off} onOpen={onOpen} />
      ))}
    </section>
  );
}

function Hold({ hold, view, off, onOpen }: HoldListProps & { hold: HoldRow }) {
  const i18n = useI18n();
  const twice = hold.code === REST_EXTRA;
  return (
    <article data-hold={hold.code}>
      <div>
        <p>
          <b>!</b> {i18n.say(hold.text)}
        </p>
        {hold.rule_text && <p class="rule">{i18n.say(hold.rule_text)}</p>}
        <small>{evidence(hold, view, i18n).join(" · ")}</small>
      </div>
      <WayKeys
        hold={hold}
        view={view}
        off={off}
        main={twice ? undefined : hold.ways[0]}
        onWay={(_, dialog) => onOpen(dialog)}
      >
        {/* The server shows the count, with the card that was read twice, to the pit alone. */}
        {twice && (
          <SmallKey
            class="key-small main"
            data-key="REST_TWICE"
            disabled={off}
            onClick={() => onOpen({ open: "counted" })}
          >
            {i18n.text("key.REST_TWICE")}
          </SmallKey>
        )}
      </WayKeys>
    </article>
  );
}

interface WayKeysProps {
  hold: HoldRow;
  view: TableView;
  off: boolean;
  /** The way whose key is filled; none where all are equal answers. */
  main?: Way | undefined;
  /** The way that is chosen, "" for none; undefined where a key opens a dialog. */
  chosen?: string;
  onWay: (way: Way, dialog: Dialog) => void;
  children?: ComponentChildren;
}

/** A key for each way out of a hold, the usual way first. A way that needs a card first is off and says so. */
export function WayKeys({ hold, view, off, main, chosen, onWay, children }: WayKeysProps) {
  const i18n = useI18n();
  return (
    <div class="ways grid gap-8">
      {children}
      {hold.ways.map((way) => {
        const dialog = wayDialog(view, hold, way);
        return (
          <SmallKey
            key={way}
            class={way === main ? "key-small main" : "key-small"}
            data-way={way}
            aria-pressed={chosen === undefined ? undefined : way === chosen}
            disabled={off || dialog === null}
            onClick={() => dialog && onWay(way, dialog)}
          >
            <span class="sentence">{i18n.text(`way.${way}`)}</span>
            {dialog === null && <small>{i18n.text("note.TAP_CARD")}</small>}
          </SmallKey>
        );
      })}
    </div>
  );
}

/** The card that does not fit and who read it, since when the table waits, the rule, who lifts it. */
function evidence(hold: HoldRow, view: TableView, i18n: ReturnType<typeof useI18n>): string[] {
  const card = hold.card > 0 && hold.round === view.round ? [placedCard(view, hold.card, i18n)] : [];
  const read = hold.read ? [i18n.say(hold.read)] : [];
  const rule = hold.rule ? [i18n.say(hold.rule)] : [];
  return [
    ...card,
    ...read,
    i18n.text("ui.since", { time: i18n.clock(hold.since_utc_us) }),
    ...rule,
    i18n.text(`ui.release_${hold.release}`),
  ];
}

interface AlertListProps {
  alerts: readonly AlertRow[];
  /** Older alerts that are not listed. */
  more: number;
  doubts: readonly DoubtRow[];
  off: boolean;
  onSteps: (acts: readonly Act[]) => void;
  onAlert: (alert: AlertRow) => void;
  onDoubt: (doubt: DoubtRow) => void;
  /** The payouts that nobody has confirmed, as one row of their own. */
  children?: ComponentChildren;
}

/** Questions first; the alert that says the same as one of them comes back when it is answered. */
export function AlertList({
  alerts,
  more,
  doubts,
  off,
  onSteps,
  onAlert,
  onDoubt,
  children,
}: AlertListProps) {
  const i18n = useI18n();
  if (alerts.length + doubts.length === 0 && !children) {
    return <div class="info">{i18n.text("ui.tap_card_to_correct")}</div>;
  }
  const asked = doubts.map((doubt) => JSON.stringify(doubt.text));
  const others = alerts.filter((alert) => !asked.includes(JSON.stringify(alert.text)));
  return (
    <ul class="alerts stack gap-6 fill slim scroll-y">
      {doubts.map((doubt) => (
        <Row
          key={`doubt ${doubt.doubt}`}
          look="critical"
          name={{ "data-doubt": doubt.doubt }}
          text={i18n.say(doubt.text)}
        >
          <PlainKey disabled={off} onClick={() => onDoubt(doubt)}>
            {i18n.text("ui.doubt_ask")}
          </PlainKey>
        </Row>
      ))}
      {others.map((alert) => (
        <Row
          key={alert.alert}
          look={`${alert.severity} ${alert.status}`}
          text={i18n.say(alert.text)}
          facts={alertFacts(alert, i18n, false)}
        >
          {alert.status === "open" && (
            <PlainKey disabled={off} onClick={() => onSteps(stepsOf(alert, "ack"))}>
              {i18n.text("ui.ack")}
            </PlainKey>
          )}
          <PlainKey data-alert={alert.alert} disabled={off} onClick={() => onAlert(alert)}>
            {i18n.text("ui.resolve")}
          </PlainKey>
        </Row>
      ))}
      {children}
      {more > 0 && <li class="info">{i18n.text("ui.more_rows", { count: more })}</li>}
    </ul>
  );
}

interface RowProps {
  look: string;
  name?: Record<string, string | number>;
  text: string;
  facts?: readonly string[];
  /** Its keys. */
  children: ComponentChildren;
}

function Row({ look, name, text, facts = [], children }: RowProps) {
  return (
    <li class={look} {...name}>
      <b>{look.startsWith("critical") ? "!" : "▲"}</b>
      <span>
        {text} <small>{facts.join(" · ")}</small>
      </span>
      {children}
    </li>
  );
}

/** How often, since when, what money, who looks after it; `whole`: also where it stands in the journal. */
export function alertFacts(alert: AlertRow, i18n: I18n, whole: boolean): string[] {
  const { alerts, status, by, note } = alert;
  const assigned = status === "assigned" && note !== "";
  return [
    ...(alerts.length > 1 ? [i18n.text("ui.alert_times", { count: alerts.length })] : []),
    i18n.text("ui.alert_since", { time: i18n.clock(alert.since_utc_us) }),
    ...(whole && alerts.length > 1
      ? [i18n.text("ui.alert_last", { time: i18n.clock(alert.at_utc_us) })]
      : []),
    ...(whole && alert.box > 0 ? [i18n.text("ui.box", { box: alert.box })] : []),
    ...(alert.money ? [i18n.text("ui.alert_money", { amount: { money: alert.money } })] : []),
    assigned ? i18n.text("ui.assigned_to", { to: note, by }) : i18n.text(`ui.alert_${status}`, { by }),
    ...(whole ? [i18n.text("ui.alert_entry", { round: alert.round, entry: alert.alert })] : []),
  ];
}

/** Whether an alert or a question says what a hold says: what a lost device is said to do changes for both at once. */
export const tellsOf =
  (hold: HoldRow) =>
  ({ text }: { text: Words }): boolean =>
    text.code.slice(text.code.indexOf(".")) === hold.text.code.slice(hold.text.code.indexOf(".")) &&
    JSON.stringify(text.params) === JSON.stringify(hold.text.params);

interface NotConfirmedProps {
  view: TableView;
  off: boolean;
  onOpen: (dialog: Dialog) => void;
}

/** One row: how many there are, the newest by name; the newest that can still be entered by the pit has a key. */
export function NotConfirmed({ view, off, onOpen }: NotConfirmedProps) {
  const i18n = useI18n();
  const [newest] = view.unconfirmed;
  if (!newest) return null;
  // The page knows this round and the one before it.
  const known = newest.round >= view.round - 1;
  const { box, seat, round } = newest;
  return (
    <Row
      look="warning"
      name={{ "data-unconfirmed": view.unconfirmed_count }}
      text={i18n.text("ui.not_confirmed", { count: view.unconfirmed_count })}
      facts={view.unconfirmed.map((one) =>
        i18n.text("ui.not_confirmed_row", {
          round: one.round,
          box: bettorName(one),
          amount: { money: one.amount },
        }),
      )}
    >
      {known && (
        <PlainKey
          disabled={off}
          onClick={() => onOpen({ open: "entered", at: { fact: "paid", box, seat, round } })}
        >
          {i18n.text("key.PUT_RIGHT")}
        </PlainKey>
      )}
    </Row>
  );
}

interface AlertDialogProps {
  /** As it was when it was opened: it may have closed by itself since. */
  alert: AlertRow;
  view: TableView;
  off: boolean;
  onSteps: (acts: readonly Act[]) => void;
  onOpen: (dialog: Dialog) => void;
  onCancel: () => void;
}

/** Resolving asks for a reason, and is off while the table waits for the cause: the ruling stands there instead. */
export function AlertDialog({ alert: opened, view, off, onSteps, onOpen, onCancel }: AlertDialogProps) {
  const i18n = useI18n();
  const [reason, setReason] = useState<AlertReason | null>(null);
  const [to, setTo] = useState("");
  const alert = view.alerts.find((one) => one.alert === opened.alert) ?? opened;
  const holds = view.holds.filter((hold) => alert.holds && tellsOf(hold)(alert));
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  return (
    <ActDialog
      title={i18n.text("ui.alert_title")}
      size="medium"
      ready={reason !== null && !alert.holds && !off}
      applyText={i18n.text("ui.resolve")}
      onApply={() => onSteps(stepsOf(alert, "resolve", reason ?? ""))}
      onCancel={onCancel}
    >
      <p class="alert-text weight-650" data-alert={alert.alert}>
        {i18n.say(alert.text)}
      </p>
      <p class="quiet">{alertFacts(alert, i18n, true).join(" · ")}</p>
      <Evidence alert={alert} view={view} />
      <div class="assign flex gap-12">
        <TextField
          label={i18n.text("ui.alert_assign_to")}
          name="assign"
          maxLength={40}
          value={to}
          onValue={(text) => setTo(text.trim())}
        />
        <PlainKey
          data-key="ASSIGN"
          disabled={off || to === ""}
          onClick={() => onSteps(stepsOf(alert, "assign", to))}
        >
          {i18n.text("ui.assign")}
        </PlainKey>
      </div>
      {alert.holds ? (
        <>
          <p class="problem">{i18n.text("ui.alert_holds")}</p>
          <HoldList view={{ ...view, holds }} off={off} onOpen={onOpen} />
          {holds.every((hold) => hold.ways.length === 0) && (
            <PlainKey
              data-key="GO_ON"
              disabled={off}
              onClick={() => onSteps([{ do: "resume", without: lost }])}
            >
              {i18n.text("key.RESUME")}
            </PlainKey>
          )}
        </>
      ) : (
        <Reasons reasons={ALERT_REASONS} chosen={reason} onChoose={setReason} />
      )}
    </ActDialog>
  );
}

/** The evidence of the moment of a hold: the cameras' crops, the shoe's line as bytes and meaning. */
export function Proof({ held }: { held: HeldEvidence }) {
  const i18n = useI18n();
  return (
    <div class="proof flex wrap gap-10" data-held={held.at_utc_us}>
      <h3 class="quiet">{i18n.text("ui.held_at", { time: i18n.clock(held.at_utc_us, true) })}</h3>
      {held.pictures.map(({ camera, picture }) => (
        <figure key={camera} data-held-camera={camera}>
          <img src={at(picture)} alt={i18n.text("ui.held_camera", { camera })} />
          <figcaption>{i18n.text("ui.held_camera", { camera })}</figcaption>
        </figure>
      ))}
      {held.shoe && (
        <dl class="quiet" data-held-shoe>
          <dt>{i18n.text("ui.held_shoe")}</dt>
          {[held.shoe.hex, held.shoe.text, ...held.shoe.reports].map((line) => (
            <dd key={line}>{line}</dd>
          ))}
        </dl>
      )}
    </div>
  );
}

/** What the witnesses had then, what the cameras see at the place now, and how the devices are that the alert speaks of. */
function Evidence({ alert, view }: { alert: AlertRow; view: TableView }) {
  const i18n = useI18n();
  const named = Object.values(alert.text.params);
  const cameras = view.devices.some((device) => device.kind === "camera");
  const devices = view.devices.filter(({ name, kind }) => named.includes(name) || kind === "shoe");
  return (
    <section class="evidence flex wrap gap-16 soft" aria-label={i18n.text("ui.evidence")}>
      {alert.held && <Proof held={alert.held} />}
      {cameras && alert.box >= 0 && (
        <div class="now">
          {alert.held && <h3>{i18n.text("ui.held_now")}</h3>}
          <BoxSights box={alert.box} />
        </div>
      )}
      <ul>
        {devices.map((device) => (
          <li key={device.name} data-evidence={device.name}>
            {i18n.text("ui.evidence_device", {
              device: device.name,
              state: i18n.text(`ui.device_${device.state}`),
              seconds: Math.round((device.age_ms ?? 0) / 1000),
            })}
          </li>
        ))}
      </ul>
      {alert.round > 0 && alert.round < view.round && (
        <a class="plain small" data-replay={alert.round} href={roundAddress(alert.round)}>
          {i18n.text("ui.replay_round", { round: alert.round })}
        </a>
      )}
    </section>
  );
}
