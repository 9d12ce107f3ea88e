// Expected against actual: by which rules, irregularities, options or settings every round is played once more.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { HouseField, StudioFileView } from "../view";
import { Choice } from "./choice";
import { fieldName } from "./field-name";
import { asSent, FieldValue } from "./house-field";

interface Props {
  file: StudioFileView;
  onCompare: (body: object) => void;
}

/** The form; what it leaves empty stays the file's own. */
export function Compare({ file, onCompare }: Props) {
  const i18n = useI18n();
  const [rules, setRules] = useState("");
  const [profile, setProfile] = useState("");
  const [settings, setSettings] = useState("");
  const [options, setOptions] = useState<Record<string, string>>({});
  const compare = (event: Event): void => {
    event.preventDefault();
    if (settings) onCompare({ settings });
    else onCompare({ rules, profile, options: chosen(file.options, options) });
  };
  const own = i18n.text("studio.own_rules");
  return (
    <>
      <h2>{i18n.text("studio.other_rules")}</h2>
      <form onSubmit={compare}>
        <Choice name="studio.rule" own={own} names={file.other_rules} value={rules} onValue={setRules} />
        <Choice
          name="studio.profile"
          own={i18n.text("studio.own_profile")}
          names={file.other_rules}
          value={profile}
          onValue={setProfile}
        />
        {file.other_settings.length > 0 && (
          <Choice
            name="studio.settings"
            own={i18n.text("studio.own_settings")}
            names={file.other_settings}
            value={settings}
            onValue={setSettings}
          />
        )}
        <details data-options>
          <summary>{i18n.text("studio.options")}</summary>
          {file.options.map((field) => (
            <FieldValue
              key={field.name}
              label={fieldName(field.name, i18n)}
              field={field}
              value={options[field.name] ?? ""}
              onValue={(value) => setOptions({ ...options, [field.name]: value })}
            />
          ))}
        </details>
        <button type="submit" class="top-key">
          {i18n.text("studio.compare")}
        </button>
      </form>
    </>
  );
}

/** The options that were given another value. */
function chosen(fields: readonly HouseField[], values: Record<string, string>): Record<string, unknown> {
  const given = fields.filter(({ name }) => values[name]);
  return Object.fromEntries(given.map((field) => [field.name, asSent(field, values[field.name] ?? "")]));
}
