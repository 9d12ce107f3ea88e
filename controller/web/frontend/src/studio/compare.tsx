// Expected against actual: by which rules, irregularities, options or settings every round is played once more.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { StudioFile } from "./bodies";
import { Choice } from "./choice";

interface Props {
  file: StudioFile;
  onCompare: (body: object) => void;
}

/** The form; what it leaves empty stays the file's own. */
export function Compare({ file, onCompare }: Props) {
  const i18n = useI18n();
  const [rules, setRules] = useState("");
  const [profile, setProfile] = useState("");
  const [settings, setSettings] = useState("");
  const [options, setOptions] = useState("");
  const compare = (event: Event): void => {
    event.preventDefault();
    if (settings) onCompare({ settings });
    else onCompare({ rules, profile, options: optionsOf(options) });
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
        <label>
          {i18n.text("studio.options")}
          <input
            data-options
            value={options}
            placeholder="stand_on_21=false"
            onInput={(event) => setOptions(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="top-key">
          {i18n.text("studio.compare")}
        </button>
      </form>
    </>
  );
}

/** "stand_on_21=false, payouts=typed" by their names; what has no "=" is refused by the server as unknown. */
function optionsOf(typed: string): Record<string, unknown> {
  const pairs = typed.split(",").flatMap((one) => {
    const [name = "", ...value] = one.split("=");
    return name.trim() ? [[name.trim(), asJson(value.join("=").trim())]] : [];
  });
  return Object.fromEntries(pairs);
}

/** What was typed as JSON; a bare word is a string. */
export function asJson(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
