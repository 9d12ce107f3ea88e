// The bottom bar: chips while bets are open, keys, what is explained, and how far the settlement is.
import { chipLabel } from "../felt/chip";
import type { Bar, Chip, Key, Settling, Words } from "../view";
import type { Speech } from "../words";
import { BarKey, isFixed } from "./key";

interface Props {
  bar: Bar;
  kinds: readonly Chip[];
  off: boolean;
  sent: string | null;
  speech: Speech;
  onKey: (key: Key) => void;
  onChip: (value: string, off: boolean) => void;
}

export function BottomBar({ bar, kinds, off, sent, speech, onKey, onChip }: Props) {
  const draw = (item: Key) => (
    <BarKey key={item.key} item={item} sent={sent === item.key} off={off} speech={speech} onPress={onKey} />
  );
  const rail = kinds.filter((kind) => bar.chips.includes(kind.value));
  return (
    <footer class={bar.keys.length > 8 ? "bar crowded" : "bar"}>
      {rail.length > 0 && <ChipRail kinds={rail} off={off} speech={speech} onChip={onChip} />}
      {bar.keys.filter((item) => item.main && !isFixed(item) && rail.length === 0).map(draw)}
      {bar.settling && <Progress settling={bar.settling} speech={speech} />}
      {bar.info && <Info info={bar.info} note={bar.info_note} speech={speech} />}
      {bar.keys.filter((item) => !isFixed(item) && (!item.main || rail.length > 0)).map(draw)}
      {bar.keys.filter(isFixed).map(draw)}
    </footer>
  );
}

interface RailProps {
  kinds: readonly Chip[];
  off: boolean;
  speech: Speech;
  onChip: (value: string, off: boolean) => void;
}

function ChipRail({ kinds, off, speech, onChip }: RailProps) {
  return (
    <div class="rail" role="group" aria-label={speech.text("ui.chips")}>
      {kinds.map((kind) => (
        <button
          key={kind.value}
          type="button"
          class="rail-chip"
          data-chip={kind.value}
          disabled={off}
          style={{ backgroundColor: kind.face, color: kind.ink }}
          onClick={() => onChip(kind.value, false)}
          onContextMenu={(event) => {
            event.preventDefault();
            onChip(kind.value, true);
          }}
        >
          {speech.money(chipLabel(kind.value))}
        </button>
      ))}
    </div>
  );
}

function Info({ info, note, speech }: { info: Words; note: Words | null; speech: Speech }) {
  return (
    <div class="info">
      <span>{speech.say(info)}</span>
      {note && <small>{speech.say(note)}</small>}
    </div>
  );
}

function Progress({ settling, speech }: { settling: Settling; speech: Speech }) {
  const { done, of, paid, taken } = settling;
  return (
    <div class="info progress">
      <ol>
        {settling.steps.map((step) => (
          <li key={step.box} class={step.state}>
            {step.state === "done" ? "✓" : step.box}
          </li>
        ))}
      </ol>
      <small>
        {speech.text("ui.progress", { done, of, paid: { money: paid }, taken: { money: taken } })}
      </small>
    </div>
  );
}
