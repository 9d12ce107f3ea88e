// The devices of this table, and what the pit may have the shoe do: always with a reason, and never twice by itself.
import { useState } from "preact/hooks";
import type { Act } from "../send";
import type { DeviceRow, LastOrder, TableView, Words } from "../view";
import type { Speech } from "../words";
import { Reasons } from "./act-dialog";

export const ORDER_REASONS = ["CARD_STUCK", "SHOE_CHANGE", "SERVICE", "OTHER"] as const;

interface Props {
  view: TableView;
  off: boolean;
  refusal: Words | null;
  speech: Speech;
  onAct: (act: Act) => void;
  onCancel: () => void;
}

export function DevicesPanel({ view, off, refusal, speech, onAct, onCancel }: Props) {
  const [reason, setReason] = useState<string | null>(null);
  const takesOrders = view.devices.some((device) => device.orders.length > 0);
  return (
    <div class="veil">
      <section class="dialog devices" role="dialog" aria-label={speech.text("key.DEVICES")}>
        <h2>{speech.text("key.DEVICES")}</h2>
        <ul>
          {view.devices.map((device) => (
            <Device
              key={device.name}
              device={device}
              off={off || reason === null}
              speech={speech}
              onOrder={(order) => onAct({ do: "order", device: device.name, order, reason: reason ?? "" })}
            />
          ))}
        </ul>
        {takesOrders && <h3>{speech.text("ui.reason")}</h3>}
        {takesOrders && (
          <Reasons reasons={ORDER_REASONS} chosen={reason} speech={speech} onChoose={setReason} />
        )}
        {refusal && <p class="problem">{speech.say(refusal)}</p>}
        <div class="dialog-keys">
          <button type="button" class="plain" data-key="CLOSE_PANEL" onClick={onCancel}>
            {speech.text("ui.close")}
          </button>
        </div>
      </section>
    </div>
  );
}

type Order = Extract<Act, { do: "order" }>["order"];

interface DeviceProps {
  device: DeviceRow;
  off: boolean;
  speech: Speech;
  onOrder: (order: Order) => void;
}

function Device({ device, off, speech, onOrder }: DeviceProps) {
  return (
    <li data-panel={device.name}>
      <b>{device.name}</b>
      <span>{speech.text(`ui.device_${device.kind}`)}</span>
      <span class={device.state === "live" ? "" : "bad"}>{speech.text(`ui.device_${device.state}`)}</span>
      <span class="spring" />
      {device.orders.map((order) => (
        <button
          key={order}
          type="button"
          class="plain"
          data-order={order}
          disabled={off}
          onClick={() => onOrder(order as Order)}
        >
          {speech.text(`ui.order_${order}`)}
        </button>
      ))}
      {device.last_order && <Answer last={device.last_order} speech={speech} />}
    </li>
  );
}

function Answer({ last, speech }: { last: LastOrder; speech: Speech }) {
  return (
    <p class={last.done ? "quiet" : "problem"} data-answer>
      {speech.clock(last.at_utc_us)} {last.by}, {speech.say(last.order)}: {speech.say(last.answer)}
    </p>
  );
}
