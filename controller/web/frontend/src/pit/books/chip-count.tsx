// Chips by their values: how many pieces of each kind of the house.
import { useI18n } from "../../i18n/context";
import { minorUnits } from "../../i18n/minor-units";
import type { Chip } from "../../view";

interface Props {
  values: readonly Chip[];
  /** Pieces by value in minor units. */
  pieces: Record<string, number>;
  onCount: (pieces: Record<string, number>) => void;
}

/** A field for each value, the largest first; an empty one is no piece. */
export function ChipCount({ values, pieces, onCount }: Props) {
  const i18n = useI18n();
  const kinds = values
    .map((chip) => ({ chip, minor: minorUnits(chip.value) ?? 0 }))
    .sort((one, other) => other.minor - one.minor);
  const count = (minor: number, typed: string): void => {
    const { [String(minor)]: _, ...others } = pieces;
    const number = Number(typed.replace(/\D/g, "").slice(0, 5));
    onCount(number > 0 ? { ...others, [String(minor)]: number } : others);
  };
  return (
    <fieldset class="chip-count">
      <legend>{i18n.text("ui.chips_by_value")}</legend>
      {kinds.map(({ chip, minor }) => (
        <label key={minor}>
          {i18n.money(chip.value)}
          <input
            name={`chips-${minor}`}
            inputMode="numeric"
            maxLength={5}
            autocomplete="off"
            value={pieces[String(minor)] ?? ""}
            onInput={(event) => count(minor, event.currentTarget.value)}
          />
        </label>
      ))}
    </fieldset>
  );
}

/** The sum of pieces, in minor units. */
export const piecesSum = (pieces: Record<string, number>): number =>
  Object.entries(pieces).reduce((sum, [value, number]) => sum + Number(value) * number, 0);
