// The devices of the table: how many work, and those that do not, in words.

import { useI18n } from "../i18n/context";
import { SmallKey } from "../shared/small-key";
import type { PitTable } from "./pit-table";

/** A press opens what the pit may have them do: the shoe's lock, a fault to clear, a camera to calibrate. */
export function Devices({ table: { view, open } }: { table: PitTable }) {
  const i18n = useI18n();
  const bad = view.devices.filter((device) => device.state !== "live");
  const well = view.devices.length - bad.length;
  return (
    <section class="devices-box still" aria-label={i18n.text("ui.devices_title")}>
      <h2>
        {i18n.text("ui.devices_title")}
        <span>{i18n.text("ui.devices_up", { up: well, all: view.devices.length })}</span>
      </h2>
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
    </section>
  );
}
