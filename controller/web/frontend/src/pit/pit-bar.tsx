// What the pit can do at this table: lift holds, work through alerts, void; a tap on a card corrects it.
import { useFit } from "../fit";
import type { Act } from "../send";
import type { AlertRow, DoubtRow, TableView } from "../view";
import type { Speech } from "../words";

interface Props {
  view: TableView;
  off: boolean;
  speech: Speech;
  onAct: (act: Act) => void;
  onByHand: () => void;
  onVoid: () => void;
  onDevices: () => void;
  onDoubt: (doubt: DoubtRow) => void;
  onLeave: () => void;
}

export function PitBar({ view, off, speech, onAct, onByHand, onVoid, onDevices, onDoubt, onLeave }: Props) {
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  return (
    <footer class="bar pit-bar">
      <AlertList
        alerts={view.alerts}
        doubts={view.doubts}
        off={off}
        speech={speech}
        onAct={onAct}
        onDoubt={onDoubt}
      />
      <PitKey
        name="RESUME"
        off={off || view.holds.length === 0}
        speech={speech}
        onPress={() => onAct({ do: "resume", without: lost })}
      />
      <PitKey name="BY_HAND" off={off} speech={speech} onPress={onByHand} />
      <PitKey name="VOID" off={off} speech={speech} onPress={onVoid} />
      <PitKey name="DEVICES" off={false} speech={speech} onPress={onDevices} />
      <PitKey name="LEAVE_PIT" off={false} speech={speech} onPress={onLeave} />
    </footer>
  );
}

interface KeyProps {
  name: string;
  off: boolean;
  speech: Speech;
  onPress: () => void;
}

function PitKey({ name, off, speech, onPress }: KeyProps) {
  const label = speech.text(`key.${name}`);
  const fit = useFit<HTMLSpanElement>(label, 26, 11);
  return (
    <button type="button" class="key" data-key={name} disabled={off} onClick={onPress}>
      <span class="key-text" ref={fit}>
        <span class="key-label">{label}</span>
      </span>
    </button>
  );
}

interface ListProps {
  alerts: readonly AlertRow[];
  doubts: readonly DoubtRow[];
  off: boolean;
  speech: Speech;
  onAct: (act: Act) => void;
  onDoubt: (doubt: DoubtRow) => void;
}

/** Questions first; the alert that says the same as one of them comes back when it is answered. */
function AlertList({ alerts, doubts, off, speech, onAct, onDoubt }: ListProps) {
  const asked = doubts.map((doubt) => JSON.stringify(doubt.text));
  if (alerts.length + doubts.length === 0)
    return <div class="info">{speech.text("ui.tap_card_to_correct")}</div>;
  return (
    <ul class="alerts">
      {doubts.map((doubt) => (
        <li key={`doubt ${doubt.doubt}`} class="critical" data-doubt={doubt.doubt}>
          <b>!</b>
          <span>{speech.say(doubt.text)}</span>
          <button type="button" class="plain" disabled={off} onClick={() => onDoubt(doubt)}>
            {speech.text("ui.doubt_ask")}
          </button>
        </li>
      ))}
      {alerts
        .filter((alert) => !asked.includes(JSON.stringify(alert.text)))
        .map((alert) => (
          <li key={alert.alert} class={`${alert.severity} ${alert.status}`}>
            <b>{alert.severity === "critical" ? "!" : "▲"}</b>
            <span>{speech.say(alert.text)}</span>
            <small>{speech.text(`ui.alert_${alert.status}`, { by: alert.by })}</small>
            {alert.status === "open" && (
              <button
                type="button"
                class="plain"
                disabled={off}
                onClick={() => onAct({ do: "alert", alert: alert.alert, step: "ack", note: "" })}
              >
                {speech.text("ui.ack")}
              </button>
            )}
            <button
              type="button"
              class="plain"
              disabled={off}
              onClick={() => onAct({ do: "alert", alert: alert.alert, step: "resolve", note: "" })}
            >
              {speech.text("ui.resolve")}
            </button>
          </li>
        ))}
    </ul>
  );
}
