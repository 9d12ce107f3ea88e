// The top bar: table, round, shoe, devices, who works here, language, time.
import { useI18n } from "../i18n/context";
import type { Language } from "../i18n/i18n";
import type { Person } from "../server/commands";
import type { DeviceRow, TableView } from "../view";
import { LanguageKeys } from "./language-keys";

interface Props {
  view: TableView;
  person: Person;
  onLanguage: (language: Language) => void;
  onShoe: () => void;
  /** Opens the cameras' pictures beside the table; none where they are not for this screen. */
  onCamera: (() => void) | undefined;
  onScreen: () => void;
  onPit: () => void;
  /** Signs the screen's person out; none where nobody has to sign in. */
  onSignOut?: (() => void) | undefined;
}

/** The pit's key shows how many alerts are open. */
export function TopBar({ view, person, onLanguage, onShoe, onCamera, onScreen, onPit, onSignOut }: Props) {
  const i18n = useI18n();
  const open = view.alerts.length + view.alerts_more;
  return (
    <header class="top row size-17 soft nowrap ground-1 edge-below">
      <b>
        <span class="word">{i18n.text("ui.table")} </span>
        {view.table}
      </b>
      <span>
        {i18n.text("ui.round")} <b>{view.round}</b>
      </span>
      <Shoe view={view} onPress={onShoe} />
      <span class="spring" />
      {view.devices.map((device) => (
        <Device key={device.name} device={device} onCamera={onCamera} />
      ))}
      <button
        type="button"
        class={person.role === "pit" ? "top-key on" : "top-key"}
        data-top="pit"
        onClick={onPit}
      >
        {i18n.text("ui.pit")}
        {open > 0 && <b class="count">! {open}</b>}
      </button>
      <span class="who">{person.actor}</span>
      {onSignOut && (
        <button
          type="button"
          class="top-key"
          data-top="sign-out"
          aria-label={i18n.text("ui.sign_out")}
          onClick={onSignOut}
        >
          <span aria-hidden="true">⏏</span>
        </button>
      )}
      <button
        type="button"
        class="top-key"
        data-top="screen"
        aria-label={i18n.text("ui.screen_title")}
        onClick={onScreen}
      >
        <span aria-hidden="true">⚙</span>
      </button>
      <LanguageKeys onLanguage={onLanguage} />
      <b>{i18n.clock(view.at_utc_us)}</b>
    </header>
  );
}

/** How much of the shoe is out; a press opens what can be entered for it. */
function Shoe({ view, onPress }: { view: TableView; onPress: () => void }) {
  const i18n = useI18n();
  return (
    <button type="button" class="top-key penetration row gap-10" data-top="shoe" onClick={onPress}>
      {view.shoe_used === null
        ? i18n.text("ui.shoe")
        : i18n.text("ui.percent", { percent: Math.round(view.shoe_used * 100) })}
      {view.shoe_used !== null && (
        <progress class="clip ground-3" value={view.shoe_used} max={1} aria-label={i18n.text("ui.shoe")} />
      )}
      {view.cut_card && <b class="cut size-15">{i18n.text("ui.cut_card")}</b>}
    </button>
  );
}

/** A device and how it is; a camera is a key where its picture may be opened. */
function Device({ device, onCamera }: { device: DeviceRow; onCamera: Props["onCamera"] }) {
  const i18n = useI18n();
  const well = device.state === "live";
  const look = well ? "device" : "device bad";
  const amount = (
    <>
      <i class="size-14 upright" aria-hidden="true">
        {well ? "●" : "✕"}
      </i>
      {i18n.text(`ui.device_${device.kind}`, { name: device.name })}
      <span class="hidden-text">{i18n.text(`ui.device_${device.state}`)}</span>
    </>
  );
  if (device.kind === "camera" && onCamera) {
    return (
      <button type="button" class={`level top-key ${look}`} data-device={device.name} onClick={onCamera}>
        {amount}
      </button>
    );
  }
  return (
    <span class={`level ${look}`} data-device={device.name}>
      {amount}
    </span>
  );
}
