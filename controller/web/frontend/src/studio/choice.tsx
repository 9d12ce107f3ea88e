// One of several names, or what the file has of its own.
import { useI18n } from "../i18n/context";

interface Props {
  /** Key of the text that says what is chosen. */
  name: string;
  /** What is written for the file's own, whose value is empty. */
  own: string;
  names: readonly string[];
  value: string;
  onValue: (value: string) => void;
}

/** A list to choose from. */
export function Choice({ name, own, names, value, onValue }: Props) {
  const i18n = useI18n();
  return (
    <select
      aria-label={i18n.text(name)}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      <option value="">{own}</option>
      {names.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
