// The bar at the top of the dealer's page, and the strip of a simulation below it.
import { type Language, useI18n } from "../i18n/i18n";
import type { Person } from "../server/http";
import type { DeviceRow, TableView } from "../view";
import { LanguageKeys } from "./keys";

interface SimulationStripProps {
  autoplay: boolean | null;
  off: boolean;
  onAutoplay: (on: boolean) => void;
  /** Lets a card leave the shoe; null where the simulation plays by itself. */
  onDraw: (() => void) | null;
  /** Opens the four doors; null where somebody had to sign in. */
  onDoors: (() => void) | null;
  /** Opens the list of faults; null where the simulation shows none. */
  onBreak: (() => void) | null;
  /** How fast the simulation plays, 0 while it pauses; null where it has no pace. */
  speed: number | null;
  onSpeed: (speed: number) => void;
  /** Opens the score of whoever deals; null where nobody is trained. */
  onTraining: (() => void) | null;
  mistakes: number;
}

const SPEEDS = [0.5, 1, 2, 5];

/** The next faster pace, and the slowest again after the fastest. */
const faster = (speed: number): number => SPEEDS.find((one) => one > speed) ?? 0.5;

/** Says that no money moves; there is no way to hide it. */
export function SimulationStrip(props: SimulationStripProps) {
  const { autoplay, off, onAutoplay, onDraw, onDoors, onBreak, speed, onSpeed, onTraining, mistakes } = props;
  const i18n = useI18n();
  return (
    <div class="simulation" role="note">
      <b>{i18n.text("ui.simulation")}</b>
      {onDoors && (
        <button type="button" data-top="doors" onClick={onDoors}>
          {i18n.text("ui.doors")}
        </button>
      )}
      {onDraw && (
        <button type="button" data-top="draw" aria-keyshortcuts="w" disabled={off} onClick={onDraw}>
          {i18n.text("ui.draw_card")}
        </button>
      )}
      {onBreak && (
        <button type="button" data-top="break" disabled={off} onClick={onBreak}>
          {i18n.text("ui.break_something")}
        </button>
      )}
      {onTraining && (
        <button type="button" data-top="training" onClick={onTraining}>
          {i18n.text("ui.training")}
          {mistakes > 0 && <b> ! {mistakes}</b>}
        </button>
      )}
      {speed !== null && autoplay && (
        <span class="pace">
          <button type="button" data-top="pause" disabled={off} onClick={() => onSpeed(speed === 0 ? 1 : 0)}>
            {i18n.text(speed === 0 ? "studio.play" : "studio.pause")}
          </button>
          {speed > 0 && (
            <button type="button" data-top="speed" disabled={off} onClick={() => onSpeed(faster(speed))}>
              {i18n.text("studio.speed", { speed: `${i18n.number(speed, speed % 1 === 0 ? 0 : 1)}×` })}
            </button>
          )}
        </span>
      )}
      {autoplay !== null && (
        <button type="button" data-top="autoplay" disabled={off} onClick={() => onAutoplay(!autoplay)}>
          {i18n.text(autoplay ? "ui.autoplay_on" : "ui.autoplay_off")}
        </button>
      )}
    </div>
  );
}

interface TopBarProps {
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
export function TopBar({
  view,
  person,
  onLanguage,
  onShoe,
  onCamera,
  onScreen,
  onPit,
  onSignOut,
}: TopBarProps) {
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
function Device({ device, onCamera }: { device: DeviceRow; onCamera: TopBarProps["onCamera"] }) {
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
