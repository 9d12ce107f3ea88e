// The devices of this table, and what the pit may have them do: always with a reason, and never twice by itself.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import { BoxSights } from "../shared/camera-view";
import { CloseKey, Dialog as DialogFrame } from "../shared/dialog";
import type { DeviceRow, LastOrder, OrderAct, TableView, Words } from "../view";
import { ORDER_REASONS, type OrderReason, Reasons } from "./reasons";

interface Props {
  view: TableView;
  off: boolean;
  refusal: Words | null;
  onAct: (act: Act) => void;
  onCancel: () => void;
}

/** Each device with its state, the orders that it takes now, and how the last one went. */
export function DevicesPanel({ view, off, refusal, onAct, onCancel }: Props) {
  const i18n = useI18n();
  const [reason, setReason] = useState<OrderReason | null>(null);
  const takesOrders = view.devices.some((device) => device.orders.length > 0);
  const spreads = view.devices.some((device) => device.orders.includes("spread"));
  return (
    <DialogFrame title={i18n.text("ui.devices_title")} size="medium" onCancel={onCancel}>
      <ul class="devices stack gap-8">
        {view.devices.map((device) => (
          <Device
            key={device.name}
            device={device}
            off={off || reason === null}
            onOrder={(order) => onAct({ do: "order", device: device.name, order, reason: reason ?? "" })}
          />
        ))}
      </ul>
      {spreads && <p>{i18n.text("ui.spread_how")}</p>}
      {spreads && <BoxSights box={null} />}
      {takesOrders && <h3>{i18n.text("ui.reason")}</h3>}
      {takesOrders && <Reasons reasons={ORDER_REASONS} chosen={reason} onChoose={setReason} />}
      {refusal && <p class="problem">{i18n.say(refusal)}</p>}
      <CloseKey onClose={onCancel} />
    </DialogFrame>
  );
}

type Order = OrderAct["order"];

const ORDERS = [
  "lock",
  "unlock",
  "clear_error",
  "calibrate",
  "enrol",
  "spread",
  "stop_enrol",
] as const satisfies Order[];

const isOrder = (name: string): name is Order => ORDERS.some((order) => order === name);

interface DeviceProps {
  device: DeviceRow;
  off: boolean;
  onOrder: (order: Order) => void;
}

function Device({ device, off, onOrder }: DeviceProps) {
  const i18n = useI18n();
  return (
    <li class="row wrap size-19 edge-below" data-panel={device.name}>
      <b>{device.name}</b>
      <span>{i18n.text(`ui.device_${device.kind}`, { name: device.name })}</span>
      <span class={device.state === "live" ? "" : "bad"}>{i18n.text(`ui.device_${device.state}`)}</span>
      {device.deck && (
        <span class="quiet" data-deck={device.deck}>
          {i18n.text("ui.device_deck", { hash: device.deck.slice(0, 8) })}
        </span>
      )}
      <span class="spring" />
      {device.orders.filter(isOrder).map((order) => (
        <button
          key={order}
          type="button"
          class="plain"
          data-order={order}
          disabled={off}
          onClick={() => onOrder(order)}
        >
          {i18n.text(`ui.order_${order}`)}
        </button>
      ))}
      {device.last_order && <Answer last={device.last_order} />}
    </li>
  );
}

function Answer({ last }: { last: LastOrder }) {
  const i18n = useI18n();
  return (
    <p class={last.done ? "quiet" : "problem"} data-answer>
      {i18n.clock(last.at_utc_us)} {last.by}, {i18n.say(last.order)}: {i18n.say(last.answer)}
    </p>
  );
}
