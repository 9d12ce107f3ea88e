// A day and a time that are shown and typed as the reader's language writes them: a browser's own field has its own form.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { LOCALES } from "../i18n/i18n";

interface Props {
  name: string;
  label: string;
  /** "2026-11-24T22:38", here and now; "" for none. */
  value: string;
  onValue: (value: string) => void;
}

/** What is typed stays while the page goes on. What is typed wrongly gives way to the last moment; an hour alone is of today. */
export function MomentField({ name, label, value, onValue }: Props) {
  const i18n = useI18n();
  const [typed, setTyped] = useState<string | null>(null);
  const form = new Intl.DateTimeFormat(LOCALES[i18n.language], { dateStyle: "short", timeStyle: "short" });
  const shown = value && form.format(new Date(value));
  return (
    <label class="span row gap-8">
      {label}
      <input
        name={name}
        inputMode="numeric"
        size={16}
        placeholder={i18n.text("ui.time_form")}
        value={typed ?? shown}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          setTyped(null);
          const read = momentOf(currentTarget.value, form);
          if (read === null) currentTarget.value = shown;
          else onValue(read);
        }}
      />
    </label>
  );
}

/** The moment that a text means; null where it means none. */
function momentOf(text: string, form: Intl.DateTimeFormat): string | null {
  const typed = text.match(/\d+/g) ?? [];
  if (typed.length === 0) return text.trim() ? null : "";
  const parts = form.formatToParts(new Date()).filter(({ type }) => type !== "literal");
  const left = parts.length - typed.length;
  if (left !== 0 && typed.length !== 2) return null;
  const said = new Map(parts.map(({ type, value }, index) => [type, typed[index - left] ?? value]));
  const two = (type: Intl.DateTimeFormatPartTypes): string => (said.get(type) ?? "").padStart(2, "0");
  const moment = `${two("year").padStart(4, "20")}-${two("month")}-${two("day")}T${two("hour")}:${two("minute")}`;
  return Number.isNaN(Date.parse(moment)) ? null : moment;
}
