// The answer to a press that was refused, at this screen or at a keypad.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Notice, Words } from "../view";

interface Refused {
  /** Of the last press on this screen. */
  refusal: Words | null;
  /** Of the last press at a keypad or pedal. */
  notice: Notice | null;
  /** The rule behind the screen's own refusal, where somebody is trained. */
  rule?: Words | null;
}

/** The refusals that are shown now, for the one toast that can be seen and heard. */
export const RefusedContext = createContext<Refused>({ refusal: null, notice: null });

/** What was refused and why; the screen's own refusal goes before a keypad's. */
export function Toast() {
  const i18n = useI18n();
  const { refusal, notice, rule } = useContext(RefusedContext);
  const words = refusal ? i18n.say(refusal) : notice ? pressed(notice, i18n) : "";
  return (
    <div
      class={words ? "toast shown weight-650 bright round-12" : "toast weight-650 bright round-12"}
      role="log"
      aria-live="polite"
    >
      {words}
      {refusal && rule && (
        <small class="block size-18">{i18n.text("ui.rule", { source: i18n.say(rule) })}</small>
      )}
    </div>
  );
}

function pressed({ device, key, why }: Notice, i18n: I18n): string {
  return `${device}, ${i18n.say(key)}: ${i18n.say(why)}`;
}
