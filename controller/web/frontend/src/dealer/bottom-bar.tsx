// The keys below the felt: the rail of chips, the keys of the moment, progress.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { CHIP_KEYS, keyName } from "../shared/keys";
import type { Bar, Chip, Key, Settling } from "../view";
import type { Bets } from "./bets";

/** Pixels before a press is a slide: a finger that only taps moves less. */
const SLIDE_PX = 18;

/**
 * How near to a circle's middle the finger has to come, in widths of the circle: one on its straight way from box 1 to 3
 * passes the middle of box 2 by half a width.
 */
const OVER = 0.4;

interface Sliding {
  value: string;
  x: number;
  y: number;
}

/** The chip under the finger, null while none is slid; `begin` follows a pointer that has gone down on a chip. */
function useSlide(onBox: (box: number, value: string) => void): {
  at: Sliding | null;
  begin: (event: PointerEvent, value: string) => void;
} {
  const [at, setAt] = useState<Sliding | null>(null);
  const latest = useRef(onBox);
  latest.current = onBox;
  const stop = useRef<() => void>(() => {});
  useEffect(() => () => stop.current(), []);

  const begin = (down: PointerEvent, value: string): void => {
    stop.current();
    let over: number | null = null;
    let slides = false;
    const move = (event: PointerEvent): void => {
      if (event.pointerId !== down.pointerId) return;
      slides ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLIDE_PX;
      if (!slides) return;
      setAt({ value, x: event.clientX, y: event.clientY });
      const box = boxAt(event.clientX, event.clientY);
      if (box !== null && box !== over) latest.current(box, value);
      over = box;
    };
    const end = (event: PointerEvent): void => {
      if (event.pointerId === down.pointerId) stop.current();
    };
    stop.current = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      setAt(null);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  };
  return { at, begin };
}

/** The box whose circle the finger is well over; null beside them. */
function boxAt(x: number, y: number): number | null {
  const box = document.elementFromPoint(x, y)?.closest<SVGElement>("[data-box]");
  const ring = box?.querySelector(".ring")?.getBoundingClientRect();
  if (!box || !ring) return null;
  const away = Math.hypot(x - ring.x - ring.width / 2, y - ring.y - ring.height / 2);
  return away > ring.width * OVER ? null : Number(box.dataset.box);
}

interface ChipRailProps {
  kinds: readonly Chip[];
  off: boolean;
  /** The value of the chip that every tapped box gets; null for none. */
  inHand: string | null;
  onChip: (value: string, off: boolean) => void;
  onSlide: (box: number, value: string) => void;
}

/** A tap lays a chip (or takes it in hand), a long press (the context menu) takes one off, a slide lays it along. */
function ChipRail({ kinds, off, inHand, onChip, onSlide }: ChipRailProps) {
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

const HOLD_MS = 600;

interface BarKeyProps {
  item: Key;
  sent: boolean;
  off: boolean;
  onPress: (item: Key) => void;
}

const look = (item: Key): string =>
  [
    "key",
    item.main && "main",
    item.key === "CALL_PIT" && "call",
    isFixed(item) && !item.main && "fixed",
    item.pressed && "on",
  ]
    .filter(Boolean)
    .join(" ");

/** Undo and Call pit have their own corner and never move. */
const isFixed = (item: Key): boolean => item.key === "UNDO" || item.key === "CALL_PIT";

/**
 * One key. One that is off is left out by Tab but can be tapped: the tap says why. Call pit wants a long press of a finger wherever it is not the main key; the keyboard is
 * deliberate enough.
 */
function BarKey({ item, sent, off, onPress }: BarKeyProps) {
  const i18n = useI18n();
  const label = i18n.say(item.label);
  const note = sent ? i18n.text("ui.sent") : item.note ? i18n.say(item.note) : "";
  const hold = useHold(() => onPress(item));
  const hotkey = item.hotkeys[0];
  const slow = item.key === "CALL_PIT" && !item.main;
  const press = (event: MouseEvent): void => {
    if (!slow || event.detail === 0) onPress(item);
  };
  return (
    <button
      type="button"
      class={`fill clip within ground-2 edge-key rounded ${look(item)}${hold.held ? " held" : ""}`}
      data-key={item.key}
      disabled={off}
      aria-disabled={item.enabled ? undefined : true}
      tabIndex={item.enabled ? undefined : -1}
      aria-pressed={item.pressed ?? undefined}
      aria-keyshortcuts={item.hotkeys.join(" ") || undefined}
      onClick={press}
      onPointerDown={slow ? hold.begin : undefined}
      onPointerUp={slow ? hold.end : undefined}
      onPointerLeave={slow ? hold.end : undefined}
    >
      {hotkey && (
        <kbd class="edge" aria-hidden="true">
          {keyName(hotkey)}
        </kbd>
      )}
      <span class="key-text row centred whole-width whole-height weight-750 to-middle">
        <span class="key-label">{label}</span>
        {note && <small>{note}</small>}
      </span>
    </button>
  );
}

function useHold(done: () => void): { held: boolean; begin: () => void; end: () => void } {
  const [held, setHeld] = useState(false);
  const timer = useRef<number>(0);
  const end = (): void => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const begin = (): void => {
    setHeld(true);
    timer.current = setTimeout(() => {
      setHeld(false);
      done();
    }, HOLD_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { held, begin, end };
}

interface BottomBarProps {
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
export function BottomBar({ bar, kinds, off, sent, bets, onKey, children }: BottomBarProps) {
  const draw = (item: Key) => (
    <BarKey
      key={item.key}
      item={item.opens === "repeat" ? { ...item, pressed: bets.inHand === "repeat" } : item}
      sent={sent === item.key}
      off={off}
      onPress={onKey}
    />
  );
  const i18n = useI18n();
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
      {bar.info && (
        <div class="info">
          <span>{i18n.say(bar.info)}</span>
          {bar.info_note && <small>{i18n.say(bar.info_note)}</small>}
        </div>
      )}
      {moving.filter((item) => !leads(item)).map(draw)}
      {bar.keys.filter(isFixed).map(draw)}
    </footer>
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
