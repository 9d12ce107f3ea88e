// The top bar: table, round, shoe, devices, who works here, language, time.
import type { Person } from "../send";
import type { DeviceRow, TableView } from "../view";
import { LANGUAGES, type Language, type Speech } from "../words";

interface Props {
  view: TableView;
  person: Person;
  speech: Speech;
  onLanguage: (language: Language) => void;
  onPit: () => void;
}

export function TopBar({ view, person, speech, onLanguage, onPit }: Props) {
  const open = view.alerts.length;
  return (
    <header class="top">
      <b>
        {speech.text("ui.table")} {view.table}
      </b>
      <span>
        {speech.text("ui.round")} <b>{view.round}</b>
      </span>
      {view.shoe_used !== null && <Penetration used={view.shoe_used} cut={view.cut_card} speech={speech} />}
      <span class="spring" />
      {view.devices.map((device) => (
        <Device key={device.name} device={device} speech={speech} />
      ))}
      <button
        type="button"
        class={person.role === "pit" ? "top-key on" : "top-key"}
        data-top="pit"
        onClick={onPit}
      >
        {speech.text("ui.pit")}
        {open > 0 && <b class="count">! {open}</b>}
      </button>
      <span class="who">{person.actor}</span>
      <span class="languages" role="group" aria-label={speech.text("ui.language")}>
        {LANGUAGES.map((language) => (
          <button
            key={language}
            type="button"
            class={language === speech.language ? "top-key on" : "top-key"}
            data-language={language}
            aria-pressed={language === speech.language}
            onClick={() => onLanguage(language)}
          >
            {language.toUpperCase()}
          </button>
        ))}
      </span>
      <b>{speech.clock(view.at_utc_us)}</b>
    </header>
  );
}

function Penetration({ used, cut, speech }: { used: number; cut: boolean; speech: Speech }) {
  return (
    <span class="penetration">
      {speech.text("ui.shoe")}
      <progress value={used} max={1} />
      {cut && <b class="cut">{speech.text("ui.cut_card")}</b>}
    </span>
  );
}

function Device({ device, speech }: { device: DeviceRow; speech: Speech }) {
  const well = device.state === "live";
  return (
    <span class={well ? "device" : "device bad"} data-device={device.name}>
      <i aria-hidden="true">{well ? "●" : "✕"}</i>
      {speech.text(`ui.device_${device.kind}`)}
      <span class="hidden-text">{speech.text(`ui.device_${device.state}`)}</span>
    </span>
  );
}
