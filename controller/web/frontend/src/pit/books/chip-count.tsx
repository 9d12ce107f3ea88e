// Chips by their values: how many pieces of each kind of the house.
import { useI18n } from "../../i18n/context";
import { decimals, digitsOf, minorUnits } from "../../i18n/minor-units";
import type { Chip } from "../../view";

interface Props {
  values: readonly Chip[];
  /** Pieces by value in minor units. */
  pieces: Record<string, number>;
  onCount: (pieces: Record<string, number>) => void;
}

const PIECES_MAX = 99_999;

/** A field for each value with − and +, the largest first, and what it is worth; an empty one is no piece. */
export function ChipCount({ values, pieces, onCount }: Props) {
  const i18n = useI18n();
  const kinds = values
    .map((chip) => ({ chip, minor: minorUnits(chip.value) ?? 0 }))
    .sort((one, other) => other.minor - one.minor);
  const count = (minor: number, number: number | null): void => {
    const { [String(minor)]: _, ...others } = pieces;
    onCount(number === null ? others : { ...others, [String(minor)]: Math.min(number, PIECES_MAX) });
  };
  const typed = (text: string): number | null => {
    const digits = text.replace(/\D/g, "");
    return digits ? Number(digits) : null;
  };
  return (
    <fieldset class="chip-count grid">
      <legend>{i18n.text("ui.chips_by_value")}</legend>
      {kinds.map(({ chip, minor }) => {
        const now = pieces[String(minor)] ?? 0;
        const value = i18n.chips(chip.value);
        return (
          <div class="grid level" key={minor}>
            <b>{value}</b>
            <button
              type="button"
              class="key-small"
              aria-label={i18n.text("ui.one_less", { value })}
              onClick={() => count(minor, Math.max(now - 1, 0))}
            >
              −
            </button>
            <input
              class="whole-width to-middle"
              name={`chips-${minor}`}
              aria-label={i18n.text("ui.pieces_of", { value })}
              inputMode="numeric"
              maxLength={5}
              autocomplete="off"
              value={pieces[String(minor)] ?? ""}
              onInput={(event) => count(minor, typed(event.currentTarget.value))}
            />
            <button
              type="button"
              class="key-small"
              aria-label={i18n.text("ui.one_more", { value })}
              onClick={() => count(minor, now + 1)}
            >
              +
            </button>
            <span class={now ? "" : "quiet"}>{i18n.money(decimals(now * minor, digitsOf(chip.value)))}</span>
          </div>
        );
      })}
    </fieldset>
  );
}

/** The sum of pieces, in minor units. */
export const piecesSum = (pieces: Record<string, number>): number =>
  Object.entries(pieces).reduce((sum, [value, number]) => sum + Number(value) * number, 0);
