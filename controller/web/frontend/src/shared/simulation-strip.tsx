// The strip that marks a simulated table.
import { useI18n } from "../i18n/context";

interface Props {
  autoplay: boolean | null;
  off: boolean;
  onAutoplay: (on: boolean) => void;
  /** Lets a card leave the shoe; null where the simulation plays by itself. */
  onDraw: (() => void) | null;
  /** Opens the four doors; null where somebody had to sign in. */
  onDoors: (() => void) | null;
  /** Opens the list of faults; null where the simulation shows none. */
  onBreak: (() => void) | null;
}

/** Says that no money moves; there is no way to hide it. */
export function SimulationStrip({ autoplay, off, onAutoplay, onDraw, onDoors, onBreak }: Props) {
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
      {autoplay !== null && (
        <button type="button" data-top="autoplay" disabled={off} onClick={() => onAutoplay(!autoplay)}>
          {i18n.text(autoplay ? "ui.autoplay_on" : "ui.autoplay_off")}
        </button>
      )}
    </div>
  );
}
