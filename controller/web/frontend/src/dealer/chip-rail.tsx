// The chips that the dealer lays for a bettor while bets are open.
import { chipLabel } from "../felt/chip";
import { useI18n } from "../i18n/context";
import type { Chip } from "../view";

interface Props {
  kinds: readonly Chip[];
  off: boolean;
  onChip: (value: string, off: boolean) => void;
}

/** A tap lays a chip, a long press (the context menu) takes one off. */
export function ChipRail({ kinds, off, onChip }: Props) {
  const i18n = useI18n();
  return (
    <fieldset class="rail" aria-label={i18n.text("ui.chips")}>
      {kinds.map((kind) => (
        <button
          key={kind.value}
          type="button"
          class="rail-chip"
          data-chip={kind.value}
          disabled={off}
          aria-label={i18n.text("ui.chip", { value: i18n.money(chipLabel(kind.value)) })}
          style={{ backgroundColor: kind.face, color: kind.ink }}
          onClick={() => onChip(kind.value, false)}
          onContextMenu={(event) => {
            event.preventDefault();
            onChip(kind.value, true);
          }}
        >
          {i18n.money(chipLabel(kind.value))}
        </button>
      ))}
    </fieldset>
  );
}
