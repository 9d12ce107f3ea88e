// What is chosen at a device: looks, sounds, language; and the list of its keys.

import { useState } from "preact/hooks";
import { type I18n, type Language, useI18n } from "../i18n/i18n";
import type { Prompt } from "../view";
import { Panel } from "./dialog";
import { UPRIGHT, useMedia } from "./fitted-table";
import { CHIP_KEYS, keyName, LanguageKeys, PlainKey } from "./keys";
import { SOUNDS, type Sounds } from "./sounds";

/** Darker for a dark hall; suits in four colours; totals and stakes larger; the keys mirrored. */
const LOOKS = ["dim", "suits", "large", "left"] as const;
type Look = (typeof LOOKS)[number];

const KEPT = "stand17.looks";

/** The looks that are chosen at this device. */
export function keptLooks(): ReadonlySet<Look> {
  const kept = (localStorage.getItem(KEPT) ?? "").split(" ");
  return new Set(LOOKS.filter((look) => kept.includes(look)));
}

/** Puts them on the page: the style sheets do the rest (looks.css). */
export function putOn(looks: ReadonlySet<Look>): void {
  document.documentElement.dataset.looks = [...looks].join(" ");
}

/** Chooses a look, or no longer; gives what is chosen now, for the next start too. */
function toggled(look: Look): ReadonlySet<Look> {
  const looks = new Set(keptLooks());
  if (!looks.delete(look)) looks.add(look);
  localStorage.setItem(KEPT, [...looks].join(" "));
  putOn(looks);
  return looks;
}

interface KeysPanelProps {
  /** What the dealer is asked now; the pit's page has no keys of the bar. */
  prompt: Prompt | null;
  onClose: () => void;
}

interface Row {
  keys: string;
  does: string;
}

/** Opened by `?`. */
export function KeysPanel({ prompt, onClose }: KeysPanelProps) {
  const i18n = useI18n();
  return (
    <Panel title={i18n.text("ui.keys_title")} size="medium" onCancel={onClose}>
      <table class="preview keys-list whole-width size-18" data-keys>
        <tbody>
          {[...now(prompt, i18n), ...always(i18n, prompt !== null)].map(({ keys, does }) => (
            <tr key={`${keys} ${does}`}>
              <th scope="row">
                <kbd class="nowrap to-middle">{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** The keys of the bar with what is written on them. */
function now(prompt: Prompt | null, i18n: I18n): Row[] {
  if (!prompt) return [];
  const keys = prompt.bar.keys.filter((key) => key.hotkeys.length > 0);
  const rows = keys.map((key) => ({ keys: key.hotkeys.map(keyName).join(" "), does: i18n.say(key.label) }));
  const chips = prompt.bar.chips.map((value, index) => ({
    keys: (CHIP_KEYS[index] ?? "").toUpperCase(),
    does: i18n.text("ui.chip", { value: { money: value } }),
  }));
  return [...rows, ...chips];
}

const always = (i18n: I18n, dealer: boolean): Row[] =>
  (dealer ? ["box", "pad", "tab", "escape", "help"] : ["pad", "tab", "escape", "help"]).map((name) => ({
    keys: i18n.text(`keys.${name}`),
    does: i18n.text(`keys.${name}_does`),
  }));

interface ScreenPanelProps {
  sounds: Sounds;
  onLanguage: (language: Language) => void;
  /** Opens the list of the keys. */
  onKeys: () => void;
  onClose: () => void;
}

/** The choice stays on the device, whoever signs in there; a sound is heard when it is switched on. */
export function ScreenPanel({ sounds, onLanguage, onKeys, onClose }: ScreenPanelProps) {
  const i18n = useI18n();
  const [looks, setLooks] = useState(keptLooks);
  // There the top bar has no room for them (screen.css).
  const isUpright = useMedia(UPRIGHT);
  return (
    <Panel title={i18n.text("ui.screen_title")} size="wide" onCancel={onClose}>
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
      <PlainKey data-key="KEYS" onClick={onKeys}>
        {i18n.text("ui.keys_open")}
      </PlainKey>
    </Panel>
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
      <PlainKey role="switch" aria-checked={on} onClick={onPress} {...data}>
        {label}
        <small>{i18n.text(on ? "ui.sound_on" : "ui.sound_off")}</small>
      </PlainKey>
    </li>
  );
}
