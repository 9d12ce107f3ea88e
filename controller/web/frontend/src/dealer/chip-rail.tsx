// The chips that the dealer lays while bets are taken: tapped, taken in hand, or slid along the boxes.
import { useI18n } from "../i18n/context";
import { CHIP_KEYS } from "../shared/key-name";
import type { Chip } from "../view";
import { useSlide } from "./use-slide";

interface Props {
  kinds: readonly Chip[];
  off: boolean;
  /** The value of the chip that every tapped box gets; null for none. */
  inHand: string | null;
  onChip: (value: string, off: boolean) => void;
  onSlide: (box: number, value: string) => void;
}

/** A tap lays a chip (or takes it in hand), a long press (the context menu) takes one off, a slide lays it along. */
export function ChipRail({ kinds, off, inHand, onChip, onSlide }: Props) {
  const i18n = useI18n();
  const slide = useSlide(onSlide);
  return (
    <fieldset class="rail row" aria-label={i18n.text("ui.chips")}>
      {kinds.map((kind, index) => (
        <button
          key={kind.value}
          type="button"
          class={inHand === kind.value ? "rail-chip on within circle" : "rail-chip within circle"}
          data-chip={kind.value}
          disabled={off}
          aria-label={i18n.text("ui.chip", { value: i18n.chips(kind.value) })}
          aria-pressed={inHand === kind.value}
          aria-keyshortcuts={CHIP_KEYS[index]}
          data-letter={CHIP_KEYS[index]?.toUpperCase()}
          style={{ backgroundColor: kind.face, color: kind.ink }}
          onClick={() => onChip(kind.value, false)}
          onContextMenu={(event) => {
            event.preventDefault();
            onChip(kind.value, true);
          }}
          onPointerDown={(event) => slide.begin(event, kind.value)}
        >
          {i18n.chips(kind.value)}
        </button>
      ))}
      {slide.at && (
        <span
          class="rail-chip sliding within circle"
          aria-hidden="true"
          style={{ ...faceOf(kinds, slide.at.value), left: `${slide.at.x}px`, top: `${slide.at.y}px` }}
        />
      )}
    </fieldset>
  );
}

function faceOf(kinds: readonly Chip[], value: string): { backgroundColor?: string } {
  const kind = kinds.find((one) => one.value === value);
  return kind ? { backgroundColor: kind.face } : {};
}
