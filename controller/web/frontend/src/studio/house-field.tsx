// A rule, an option or a field of a line that is to be otherwise: one of its words, or what is typed for it.
import { useI18n } from "../i18n/context";
import { minorUnits } from "../i18n/minor-units";
import type { FieldChoice, HouseField } from "../view";
import { ACTIONS, RANKS, SUITS } from "../vocabulary";

interface Props {
  label: string;
  field: Field | undefined;
  /** As it was chosen or typed; "" leaves the file's own. */
  value: string;
  onValue: (value: string) => void;
}

/** The value of one field. */
export function FieldValue({ label, field, value, onValue }: Props) {
  const i18n = useI18n();
  const own = field?.says === undefined ? "" : i18n.value(field.says);
  const onChange = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    onValue(currentTarget.value);
  if (!field || field.choices.length === 0) {
    return (
      <label>
        {label}
        <input value={value} placeholder={own} onInput={onChange} />
      </label>
    );
  }
  return (
    <label>
      {label}
      <select value={value} onChange={onChange}>
        <option value="">{own}</option>
        {field.choices.map((one) => (
          <option key={one.value} value={one.value}>
            {i18n.value(one.says)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the server takes for it; what is no amount and no number goes as it was typed, and is refused there. */
export function asSent({ kind }: Pick<Field, "kind">, value: string): unknown {
  if (kind === "word") return JSON.parse(value);
  if (kind === "money") return minorUnits(value) ?? value;
  if (kind === "odds") return value.split(":").map(Number);
  return /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
}

/** A choice of a field; a line's word may be what it is for people, too. */
type Choice = Omit<FieldChoice, "says"> & { says: string | FieldChoice["says"] };

/** A field with its choices; `says` is what it is in the file, where there is one file to ask. */
export type Field = Pick<HouseField, "name" | "kind"> & { says?: HouseField["says"]; choices: Choice[] };

const words = (names: readonly string[], key?: (name: string) => string): Choice[] =>
  names.map((name) => ({ value: JSON.stringify(name), says: key ? { word: key(name), params: {} } : name }));

const lineField = (kind: Field["kind"], name: string, choices: Choice[] = []): Field => ({
  name,
  kind,
  choices,
});

/** What a tester changes in a line; each kind of line has some of them. */
export const LINE_FIELDS: readonly Field[] = [
  lineField("word", "rank", words(RANKS)),
  lineField(
    "word",
    "suit",
    words(SUITS, (one) => `ui.suit_${one}`),
  ),
  lineField(
    "word",
    "action",
    words(ACTIONS, (one) => `action.${one}`),
  ),
  lineField(
    "word",
    "to",
    words(["box", "dealer", "burn"], (one) => `to.${one}`),
  ),
  lineField(
    "word",
    "face",
    words(["up", "down"], (one) => `face.${one}`),
  ),
  lineField("money", "stake"),
  lineField("money", "amount"),
  lineField("number", "box"),
  lineField("number", "hand"),
  lineField("number", "seat"),
];
