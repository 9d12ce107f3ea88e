// The bottom bar: chips while bets are open, keys, what is explained, and how far the settlement is.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import type { Bar, Chip, Key, Settling, Words } from "../view";
import { BarKey, isFixed } from "./bar-key";
import { ChipRail } from "./chip-rail";
import type { Bets } from "./use-bets";

interface Props {
  bar: Bar;
  kinds: readonly Chip[];
  off: boolean;
  sent: string | null;
  bets: Pick<Bets, "inHand" | "chip" | "slide">;
  onKey: (key: Key) => void;
  /** What belongs to the bar and stands above it. */
  children?: ComponentChildren;
}

/** The main key comes first, but after the chips where there are any; Undo and Call pit come last. */
export function BottomBar({ bar, kinds, off, sent, bets, onKey, children }: Props) {
  const draw = (item: Key) => (
    <BarKey
      key={item.key}
      item={item.opens === "repeat" ? { ...item, pressed: bets.inHand === "repeat" } : item}
      sent={sent === item.key}
      off={off}
      onPress={onKey}
    />
  );
  const inHand = bets.inHand === "repeat" ? null : (bets.inHand?.chip ?? null);
  const rail = kinds.filter((kind) => bar.chips.includes(kind.value));
  const leads = (item: Key): boolean => item.main && rail.length === 0;
  const moving = bar.keys.filter((item) => !isFixed(item));
  return (
    <footer class={bar.keys.length > 8 ? "bar crowded" : "bar"}>
      {children}
      {rail.length > 0 && (
        <ChipRail kinds={rail} off={off} inHand={inHand} onChip={bets.chip} onSlide={bets.slide} />
      )}
      {moving.filter(leads).map(draw)}
      {bar.settling && <Progress settling={bar.settling} />}
      {bar.info && <Info info={bar.info} note={bar.info_note} />}
      {moving.filter((item) => !leads(item)).map(draw)}
      {bar.keys.filter(isFixed).map(draw)}
    </footer>
  );
}

function Info({ info, note }: { info: Words; note: Words | null }) {
  const i18n = useI18n();
  return (
    <div class="info">
      <span>{i18n.say(info)}</span>
      {note && <small>{i18n.say(note)}</small>}
    </div>
  );
}

function Progress({ settling }: { settling: Settling }) {
  const i18n = useI18n();
  const { done, of, paid, taken } = settling;
  return (
    <div class="info progress">
      <ol class="flex">
        {settling.steps.map((step) => (
          <li key={step.box} class={`centre size-19 weight-800 bright circle ${step.state}`}>
            {step.state === "done" ? "✓" : step.box}
          </li>
        ))}
      </ol>
      <small>{i18n.text("ui.progress", { done, of, paid: { money: paid }, taken: { money: taken } })}</small>
    </div>
  );
}
