// What this device does in its own way: how it looks, and which sounds it makes. Each is switched by a tap.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Language } from "../i18n/i18n";
import { CloseKey, Dialog } from "./dialog";
import { LanguageKeys } from "./language-keys";
import { keptLooks, LOOKS, toggled } from "./looks";
import { SOUNDS } from "./sounds";
import { UPRIGHT, useMedia } from "./use-media";
import type { Sounds } from "./use-sounds";

interface Props {
  sounds: Sounds;
  onLanguage: (language: Language) => void;
  /** Opens the list of the keys. */
  onKeys: () => void;
  onClose: () => void;
}

/** The choice stays on the device, whoever signs in there; a sound is heard when it is switched on. */
export function ScreenPanel({ sounds, onLanguage, onKeys, onClose }: Props) {
  const i18n = useI18n();
  const [looks, setLooks] = useState(keptLooks);
  // There the top bar has no room for them (screen.css).
  const isUpright = useMedia(UPRIGHT);
  return (
    <Dialog title={i18n.text("ui.screen_title")} size="wide" onCancel={onClose}>
      <p class="quiet">{i18n.text("ui.screen_hint")}</p>
      {isUpright && <LanguageKeys onLanguage={onLanguage} />}
      <div class="switches grid">
        <ul class="faults grid gap-8" aria-label={i18n.text("ui.looks")}>
          {LOOKS.map((look) => (
            <Switch
              key={look}
              data-look={look}
              label={i18n.text(`ui.look_${look}`)}
              on={looks.has(look)}
              onPress={() => setLooks(toggled(look))}
            />
          ))}
        </ul>
        <ul class="faults grid gap-8" aria-label={i18n.text("ui.sounds_title")}>
          {SOUNDS.map((sound) => (
            <Switch
              key={sound}
              data-sound={sound}
              label={i18n.text(`ui.sound_${sound}`)}
              on={sounds.on.has(sound)}
              onPress={() => sounds.toggle(sound)}
            />
          ))}
        </ul>
      </div>
      <button type="button" class="plain" data-key="KEYS" onClick={onKeys}>
        {i18n.text("ui.keys_open")}
      </button>
      <CloseKey onClose={onClose} />
    </Dialog>
  );
}

interface SwitchProps {
  label: string;
  on: boolean;
  onPress: () => void;
  "data-look"?: string;
  "data-sound"?: string;
}

function Switch({ label, on, onPress, ...data }: SwitchProps) {
  const i18n = useI18n();
  return (
    <li>
      <button type="button" class="plain" role="switch" aria-checked={on} onClick={onPress} {...data}>
        {label}
        <small>{i18n.text(on ? "ui.sound_on" : "ui.sound_off")}</small>
      </button>
    </li>
  );
}
