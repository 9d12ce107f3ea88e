// The keys of the keyboard, a pad or a pedal: those of the line that is on the screen now, then the ones that never change.
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Prompt } from "../view";
import { CloseKey, Dialog } from "./dialog";
import { CHIP_KEYS, keyName } from "./key-name";

interface Props {
  /** What the dealer is asked now; the pit's page has no keys of the bar. */
  prompt: Prompt | null;
  onClose: () => void;
}

interface Row {
  keys: string;
  does: string;
}

/** Opened by `?`. */
export function KeysPanel({ prompt, onClose }: Props) {
  const i18n = useI18n();
  return (
    <Dialog title={i18n.text("ui.keys_title")} size="medium" onCancel={onClose}>
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
      <CloseKey onClose={onClose} />
    </Dialog>
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
