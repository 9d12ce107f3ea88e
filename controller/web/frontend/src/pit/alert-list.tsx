// What waits for the pit: cameras' questions first, then alerts that are not resolved.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Act } from "../server/commands";
import type { AlertRow, DoubtRow, HoldRow, Words } from "../view";
import { stepsOf } from "./alert-steps";

interface Props {
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
export function AlertList({ alerts, more, doubts, off, onSteps, onAlert, onDoubt, children }: Props) {
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
      <button type="button" class="plain" disabled={off} onClick={() => onDoubt(doubt)}>
        {i18n.text("ui.doubt_ask")}
      </button>
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
        <button type="button" class="plain" disabled={off} onClick={() => onSteps(stepsOf(alert, "ack"))}>
          {i18n.text("ui.ack")}
        </button>
      )}
      <button
        type="button"
        class="plain"
        data-alert={alert.alert}
        disabled={off}
        onClick={() => onAlert(alert)}
      >
        {i18n.text("ui.resolve")}
      </button>
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
