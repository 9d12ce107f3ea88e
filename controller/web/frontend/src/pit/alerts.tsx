// The alerts and holds of a table at the dealer's tablet, and the dialog of an alert.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import { bettorName, placedCard } from "../i18n/sentences";
import { type Act, at, roundAddress } from "../server/http";
import { BoxSights } from "../shared/camera-view";
import { PlainKey } from "../shared/keys";
import type { AlertRow, DoubtRow, HeldEvidence, HoldRow, TableView, Words } from "../view";
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
  return (
    <article data-hold={hold.code}>
      <div>
        <p>
          <b>!</b> {i18n.say(hold.text)}
        </p>
        {hold.rule_text && <p class="rule">{i18n.say(hold.rule_text)}</p>}
        <small>{evidence(hold, view, i18n).join(" · ")}</small>
      </div>
      <ul>
        {hold.code === REST_EXTRA && <TakeOut off={off} onOpen={onOpen} />}
        {hold.ways.map((way, index) => {
          const dialog = wayDialog(view, hold, way);
          return (
            <li key={way}>
              <button
                type="button"
                class={index === 0 && hold.code !== REST_EXTRA ? "plain main" : "plain"}
                data-way={way}
                disabled={off || dialog === null}
                onClick={() => dialog && onOpen(dialog)}
              >
                <span class="sentence">{i18n.text(`way.${way}`)}</span>
                {dialog === null && <small>{i18n.text("note.TAP_CARD")}</small>}
              </button>
            </li>
          );
        })}
      </ul>
    </article>
  );
}

/** Which card of the rest was read twice stands in the count, which the server shows to the pit alone. */
function TakeOut({ off, onOpen }: Pick<HoldListProps, "off" | "onOpen">) {
  const i18n = useI18n();
  return (
    <li>
      <button
        type="button"
        class="plain main"
        data-key="REST_TWICE"
        disabled={off}
        onClick={() => onOpen({ open: "counted" })}
      >
        {i18n.text("key.REST_TWICE")}
      </button>
    </li>
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
        <Question key={`doubt ${doubt.doubt}`} doubt={doubt} off={off} onDoubt={onDoubt} />
      ))}
      {others.map((alert) => (
        <Alert key={alert.alert} alert={alert} off={off} onSteps={onSteps} onAlert={onAlert} />
      ))}
      {children}
      {more > 0 && <li class="info">{i18n.text("ui.more_rows", { count: more })}</li>}
    </ul>
  );
}

interface QuestionProps {
  doubt: DoubtRow;
  off: boolean;
  onDoubt: (doubt: DoubtRow) => void;
}

function Question({ doubt, off, onDoubt }: QuestionProps) {
  const i18n = useI18n();
  return (
    <li class="critical" data-doubt={doubt.doubt}>
      <b>!</b>
      <span>{i18n.say(doubt.text)}</span>
      <PlainKey disabled={off} onClick={() => onDoubt(doubt)}>
        {i18n.text("ui.doubt_ask")}
      </PlainKey>
    </li>
  );
}

interface AlertProps {
  alert: AlertRow;
  off: boolean;
  onSteps: (acts: readonly Act[]) => void;
  onAlert: (alert: AlertRow) => void;
}

function Alert({ alert, off, onSteps, onAlert }: AlertProps) {
  const i18n = useI18n();
  return (
    <li class={`${alert.severity} ${alert.status}`}>
      <b>{alert.severity === "critical" ? "!" : "▲"}</b>
      <span>
        {i18n.say(alert.text)} <small>{alertFacts(alert, i18n, false).join(" · ")}</small>
      </span>
      {alert.status === "open" && (
        <PlainKey disabled={off} onClick={() => onSteps(stepsOf(alert, "ack"))}>
          {i18n.text("ui.ack")}
        </PlainKey>
      )}
      <PlainKey data-alert={alert.alert} disabled={off} onClick={() => onAlert(alert)}>
        {i18n.text("ui.resolve")}
      </PlainKey>
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
    <li class="warning" data-unconfirmed={view.unconfirmed_count}>
      <b>▲</b>
      <span>
        {i18n.text("ui.not_confirmed", { count: view.unconfirmed_count })}{" "}
        <small>
          {view.unconfirmed
            .map((one) =>
              i18n.text("ui.not_confirmed_row", {
                round: one.round,
                box: bettorName(one),
                amount: { money: one.amount },
              }),
            )
            .join(" · ")}
        </small>
      </span>
      {known && (
        <PlainKey
          disabled={off}
          onClick={() => onOpen({ open: "entered", at: { fact: "paid", box, seat, round } })}
        >
          {i18n.text("key.PUT_RIGHT")}
        </PlainKey>
      )}
    </li>
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
        <label class="fill">
          {i18n.text("ui.alert_assign_to")}
          <input
            name="assign"
            maxLength={40}
            value={to}
            onInput={(event) => setTo(event.currentTarget.value.trim())}
          />
        </label>
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

/** What the witnesses had at the moment of the hold: the cameras' crops, the shoe's line as bytes and meaning. */
function Held({ held }: { held: HeldEvidence }) {
  const i18n = useI18n();
  return (
    <div class="held" data-held={held.at_utc_us}>
      <h3>{i18n.text("ui.held_at", { time: i18n.clock(held.at_utc_us) })}</h3>
      {held.pictures.map(({ camera, picture }) => (
        <figure key={camera} data-held-camera={camera}>
          <img src={at(picture)} alt={i18n.text("ui.held_camera", { camera })} />
          <figcaption>{i18n.text("ui.held_camera", { camera })}</figcaption>
        </figure>
      ))}
      {held.shoe && (
        <dl data-held-shoe>
          <dt>{i18n.text("ui.held_shoe")}</dt>
          <dd>
            <code>{held.shoe.hex}</code>
          </dd>
          <dd>
            <code>{held.shoe.text}</code>
          </dd>
          {held.shoe.reports.map((report) => (
            <dd key={report}>{report}</dd>
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
      {alert.held && <Held held={alert.held} />}
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
