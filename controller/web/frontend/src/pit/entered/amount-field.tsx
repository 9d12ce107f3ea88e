// An amount that is typed in a ruling.
import { useI18n } from "../../i18n/context";
import { minorUnits } from "../../i18n/minor-units";

interface Props {
  /** What tests and style sheets know it by. */
  name?: string;
  label: string;
  value: string;
  onInput: (typed: string) => void;
}

/** A text field that says when what stands in it is no amount. */
export function AmountField({ name = "amount", label, value, onInput }: Props) {
  const i18n = useI18n();
  const bad = value.trim() !== "" && minorUnits(value) === null;
  return (
    <label>
      {label}
      <input
        name={name}
        inputMode="decimal"
        maxLength={12}
        autocomplete="off"
        value={value}
        aria-invalid={bad}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {bad && <span class="problem">{i18n.text("ui.amount_bad")}</span>}
    </label>
  );
}
