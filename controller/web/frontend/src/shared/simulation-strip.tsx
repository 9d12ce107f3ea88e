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
export function SimulationStrip(props: Props) {
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
