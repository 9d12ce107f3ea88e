// What waits for the pit: cameras' questions first, then alerts that are not resolved.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import type { AlertRow, DoubtRow } from "../view";

interface Props {
  alerts: readonly AlertRow[];
  /** Older alerts that are not listed. */
  more: number;
  doubts: readonly DoubtRow[];
  off: boolean;
  onAct: (act: Act) => void;
  onDoubt: (doubt: DoubtRow) => void;
  /** The payouts that nobody has confirmed, as one row of their own. */
  children?: ComponentChildren;
}

/** Questions first; the alert that says the same as one of them comes back when it is answered. */
export function AlertList({ alerts, more, doubts, off, onAct, onDoubt, children }: Props) {
  const i18n = useI18n();
  if (alerts.length + doubts.length === 0 && !children) {
    return <div class="info">{i18n.text("ui.tap_card_to_correct")}</div>;
  }
  const asked = doubts.map((doubt) => JSON.stringify(doubt.text));
  const others = alerts.filter((alert) => !asked.includes(JSON.stringify(alert.text)));
  return (
    <ul class="alerts">
      {doubts.map((doubt) => (
        <Question key={`doubt ${doubt.doubt}`} doubt={doubt} off={off} onDoubt={onDoubt} />
      ))}
      {others.map((alert) => (
        <Alert key={alert.alert} alert={alert} off={off} onAct={onAct} />
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
  onAct: (act: Act) => void;
}

function Alert({ alert, off, onAct }: AlertProps) {
  const i18n = useI18n();
  const step = (taken: "ack" | "resolve"): void =>
    onAct({ do: "alert", alert: alert.alert, step: taken, note: "" });
  return (
    <li class={`${alert.severity} ${alert.status}`}>
      <b>{alert.severity === "critical" ? "!" : "▲"}</b>
      <span>{i18n.say(alert.text)}</span>
      <small>{i18n.text(`ui.alert_${alert.status}`, { by: alert.by })}</small>
      {alert.status === "open" && (
        <button type="button" class="plain" disabled={off} onClick={() => step("ack")}>
          {i18n.text("ui.ack")}
        </button>
      )}
      <button type="button" class="plain" disabled={off} onClick={() => step("resolve")}>
        {i18n.text("ui.resolve")}
      </button>
    </li>
  );
}
