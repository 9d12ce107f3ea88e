// Which sounds this device makes: each is switched by a tap, and heard when it is switched on.
import { useI18n } from "../i18n/context";
import { CloseKey, Dialog } from "./dialog";
import { SOUNDS } from "./sounds";
import type { Sounds } from "./use-sounds";

interface Props {
  sounds: Sounds;
  onClose: () => void;
}

/** The choice stays on the device, whoever signs in there. */
export function SoundsPanel({ sounds, onClose }: Props) {
  const i18n = useI18n();
  return (
    <Dialog title={i18n.text("ui.sounds_title")} size="medium" onCancel={onClose}>
      <p class="quiet">{i18n.text("ui.sounds_hint")}</p>
      <ul class="faults">
        {SOUNDS.map((sound) => (
          <li key={sound}>
            <button
              type="button"
              class="plain"
              role="switch"
              data-sound={sound}
              aria-checked={sounds.on.has(sound)}
              onClick={() => sounds.toggle(sound)}
            >
              {i18n.text(`ui.sound_${sound}`)}
              <small>{i18n.text(sounds.on.has(sound) ? "ui.sound_on" : "ui.sound_off")}</small>
            </button>
          </li>
        ))}
      </ul>
      <CloseKey onClose={onClose} />
    </Dialog>
  );
}
