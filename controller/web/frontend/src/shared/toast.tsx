// The answer to a press that was refused, at this screen or at a keypad.
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Notice, Words } from "../view";

interface Props {
  refusal: Words | null;
  notice: Notice | null;
}

/** What was refused and why; the screen's own refusal goes before a keypad's. */
export function Toast({ refusal, notice }: Props) {
  const i18n = useI18n();
  const told = refusal ? i18n.say(refusal) : notice ? pressed(notice, i18n) : "";
  return (
    <div class={told ? "toast shown" : "toast"} role="log" aria-live="polite">
      {told}
    </div>
  );
}

function pressed({ device, key, why }: Notice, i18n: I18n): string {
  return `${device}, ${i18n.say(key)}: ${i18n.say(why)}`;
}
