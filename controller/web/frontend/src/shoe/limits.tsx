// Other limits for stakes, from the next round on: the pit's to set.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { minorUnits } from "../i18n/minor-units";
import { ActDialog, type FactProps } from "../pit/act-dialog";
import { AmountField } from "../pit/entered/amount-field";

const FIELDS = ["stake_min", "stake_max", "stake_step"] as const;
type Field = (typeof FIELDS)[number];

/** Begins with the limits that were entered last. */
export function Limits({ actor, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const [typed, setTyped] = useState<Record<Field, string>>(view.shoe.limits);
  const amount = (field: Field): number | null => minorUnits(typed[field]);
  const [least, most, step] = FIELDS.map(amount);
  const whole = least != null && most != null && step != null;
  const apply = (): void => {
    if (!whole) return;
    onApply({ obs: "limits", stake_min: least, stake_max: most, stake_step: step, by: actor }, view.seq);
  };
  return (
    <ActDialog
      title={i18n.text("ui.limits_title")}
      size="small"
      ready={!off && whole}
      onApply={apply}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.limits_explains")}</p>
      {FIELDS.map((field) => (
        <AmountField
          key={field}
          name={field}
          label={i18n.text(`ui.${field}`)}
          value={typed[field]}
          onInput={(value) => setTyped({ ...typed, [field]: value })}
        />
      ))}
    </ActDialog>
  );
}
