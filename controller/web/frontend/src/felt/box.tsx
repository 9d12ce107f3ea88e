// Chips, and a box of the felt with its circle, stakes and hands.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { decimals, digitsOf, type I18n, useI18n } from "../i18n/i18n";
import { boxSentence } from "../i18n/sentences";
import type { BoxView, Chip } from "../view";
import { LEAST } from "./geometry";
import { useLayout } from "./layout";
import { memo, Pill, type PillLook, PressArea, pillWidth } from "./parts";

/** The house's chips with their colours, for everything below that draws one. */
export const ChipKinds = createContext<readonly Chip[]>([]);

const PLAIN: Chip = { value: "", face: "#c8553d", ink: "#ffffff" };

/** What is printed on a chip, as the reader writes it: "2,50" and "5"; nothing on one that the house does not have. */
const print = (value: string, i18n: I18n): string => (value === "" ? "" : i18n.chips(value));

/** Letters of a print, by the radius: "1,000" is longer than "500". */
const letters = (label: string, radius: number): number =>
  radius * (label.length > 4 ? 0.42 : label.length > 2 ? 0.5 : 0.66);

interface ChipProps {
  x: number;
  y: number;
  radius: number;
  value: string;
  count: number;
}

/**
 * Up to five chips of one value, x and y being the middle of the lowest; a value that the house does not have
 * is drawn plain.
 */
export function ChipStack({ x, y, radius, value, count }: ChipProps) {
  const kind = useContext(ChipKinds).find((one) => one.value === value) ?? PLAIN;
  const label = print(value, useI18n());
  const shown = Math.min(Math.max(count, 1), 5);
  return (
    <g transform={`translate(${x} ${y})`} class="chip">
      {Array.from({ length: shown }, (_, index) => (
        <Disc key={index} kind={kind} radius={radius} lift={index * radius * 0.24} />
      ))}
      <text
        y={-(shown - 1) * radius * 0.24 + radius * 0.22}
        font-size={letters(label, radius)}
        text-anchor="middle"
        fill={kind.ink}
      >
        {label}
      </text>
    </g>
  );
}

/** Discs of a drawn stack; a taller one would cover the box's number. */
const DISCS_MAX = 5;

interface MixedProps {
  x: number;
  y: number;
  radius: number;
  /** Largest value first, as they lie: the largest at the bottom. */
  chips: readonly (readonly [value: string, count: number])[];
}

/** A stake as it lies: every kind is seen in its colour, the uppermost is named, few discs stand for many. */
export function MixedStack({ x, y, radius, chips }: MixedProps) {
  const kinds = useContext(ChipKinds);
  const discs = discsOf(chips).map((value) => kinds.find((one) => one.value === value) ?? PLAIN);
  const top = discs.at(-1) ?? PLAIN;
  const label = print(top.value, useI18n());
  return (
    <g
      transform={`translate(${x} ${y})`}
      class="chip"
      data-chips={chips.map(([value, n]) => `${n}x${value}`).join()}
    >
      {discs.map((kind, index) => (
        <Disc key={index} kind={kind} radius={radius} lift={index * radius * 0.2} />
      ))}
      <text
        y={-(discs.length - 1) * radius * 0.2 + radius * 0.22}
        font-size={letters(label, radius)}
        text-anchor="middle"
        fill={top.ink}
      >
        {label}
      </text>
    </g>
  );
}

/** The values of the drawn discs, from the bottom: at least one of each kind, more of those of which most lie there. */
function discsOf(chips: MixedProps["chips"]): string[] {
  const shown = chips.slice(0, DISCS_MAX).map(([value, count]) => ({ value, left: count - 1, discs: 1 }));
  let room = DISCS_MAX - shown.length;
  while (room > 0) {
    const most = shown.reduce<(typeof shown)[number] | null>((a, b) => (a && a.left >= b.left ? a : b), null);
    if (!most || most.left <= 0) break;
    most.left -= 1;
    most.discs += 1;
    room -= 1;
  }
  if (shown.length === 0) return [""];
  return shown.flatMap(({ value, discs }) => Array.from({ length: discs }, () => value));
}

const Disc = memo(({ kind, radius, lift }: { kind: Chip; radius: number; lift: number }) => (
  <g transform={`translate(0 ${-lift})`}>
    <ellipse rx={radius} ry={radius * 0.94} cy={radius * 0.12} class="chip-shade" />
    <circle r={radius} fill={kind.face} />
    <circle
      r={radius * 0.84}
      fill="none"
      stroke={kind.ink}
      stroke-opacity={0.85}
      stroke-width={radius * 0.2}
      stroke-dasharray={`${radius * 0.36} ${radius * 0.52}`}
    />
    <circle r={radius * 0.68} fill={kind.face} stroke={kind.ink} stroke-opacity={0.5} />
  </g>
));

interface BoxProps {
  box: BoxView;
  dim: boolean;
  glow: boolean;
  /** A press lays a chip, so that Enter must not be one. */
  lays: boolean;
  onTap: ((box: number) => void) | undefined;
}

/**
 * Radius of what a finger finds, which may be more than the circle that it sees. No larger: a chip that is slid from box 1
 * to 3 passes box 2 by 45.
 */
const FINGER = 48;

/** The circle of a box with what lies in it; without `onTap` nothing can be pressed. */
export function BoxSpot({ box, dim, glow, lays, onTap }: BoxProps) {
  const i18n = useI18n();
  const { betSpot, circle } = useLayout();
  const { x, y } = betSpot(box.box);
  const lies = box.stake !== null;
  return (
    <g class={dim ? "box dim" : "box"} data-box={box.box} data-glow={glow}>
      <g aria-hidden="true">
        {glow && <circle class="halo" cx={x} cy={y} r={circle + 9} />}
        <circle class={glow ? "ring glow" : lies ? "ring" : "ring empty"} cx={x} cy={y} r={circle} />
        {lies ? <Stake box={box} glow={glow} /> : <Empty box={box.box} x={x} y={y} />}
      </g>
      {onTap && (
        <PressArea class="tap" name={boxSentence(box, i18n)} spaceOnly={lays} onPress={() => onTap(box.box)}>
          <circle cx={x} cy={y} r={Math.max(circle + 3, FINGER)} />
        </PressArea>
      )}
    </g>
  );
}

function Empty({ box, x, y }: { box: number; x: number; y: number }) {
  return (
    <text class="empty-number weight-700" x={x} y={y + 10} font-size={28} text-anchor="middle">
      {box}
    </text>
  );
}

function stakeText(box: BoxView, i18n: I18n): string {
  const short = box.seats.some((seat) => seat.short !== null);
  const amounts = box.seats.map((seat) => i18n.chips(seat.stake)).join(" + ");
  return short ? `! ${amounts}` : amounts;
}

function stakeLook(box: BoxView, glow: boolean): PillLook {
  if (box.seats.some((seat) => seat.short !== null)) return "stop";
  return glow ? "stake tone-line" : "stake";
}

const SIGNS = { take: "-", pay: "+", push: "" } as const;

/** What was counted or typed stands out from what somebody has only confirmed. */
const KNOWN = { measured: "pay", entered: "act", confirmed: "stake" } as const;

/** "−10.00" and "+22.50": what is still to be moved at the box, all its bettors together; the line tells each. */
function movesOf({ moves }: BoxView, i18n: I18n): { verb: PillLook; text: string }[] {
  const verbs = ["take", "pay", "push"] as const;
  return verbs
    .map((verb) => ({ verb, amounts: moves.filter((move) => move.verb === verb).map((move) => move.amount) }))
    .filter(({ amounts }) => amounts.length > 0)
    .map(({ verb, amounts }) => ({ verb, text: i18n.money(SIGNS[verb] + added(amounts)) }));
}

/** The sum of amounts of a currency, as one; counted in its minor units. */
function added(amounts: readonly string[]): string {
  const minor = amounts.reduce((sum, amount) => sum + Number(amount.replace(".", "")), 0);
  return decimals(minor, digitsOf(amounts[0] ?? ""));
}

function Stake({ box, glow }: { box: BoxView; glow: boolean }) {
  const i18n = useI18n();
  const { betSpot, width, circle, name } = useLayout();
  const { x, y } = betSpot(box.box);
  const badgeX = x + (x > width / 2 + 5 ? 1 : -1) * (circle + 11);
  const text = stakeText(box, i18n);
  const moves = movesOf(box, i18n);
  const first = moves[0];
  // Upright the cards lie beside the circle: each amount has a line of its own, the second one below the stake.
  const stands = name.startsWith("portrait");
  const moved = first && { ...first, text: (stands ? [first] : moves).map((one) => one.text).join(" ") };
  const insured = box.seats.flatMap((seat) => (seat.insurance === null ? [] : [i18n.chips(seat.insurance)]));
  return (
    <>
      {box.seats.length > 0 && (
        <>
          <MixedStack x={x} y={y + 3} radius={circle * 0.74} chips={box.chips} />
          <Pill
            x={x}
            y={y + circle + 13}
            text={text}
            size={text.length > 9 ? LEAST : 20}
            look={stakeLook(box, glow)}
          />
        </>
      )}
      {moved && (
        <Pill
          x={x + (badgeX < x ? 1 : -1) * Math.max(0, pillWidth(moved.text, LEAST) / 2 - circle + 4)}
          y={y - circle - 4}
          text={moved.text}
          size={LEAST}
          look={moved.verb}
        />
      )}
      {stands &&
        moves
          .slice(1)
          .map((one, index) => (
            <Pill
              key={one.verb}
              x={x}
              y={y + circle + 40 + index * 27}
              text={one.text}
              size={LEAST}
              look={one.verb}
            />
          ))}
      {box.moves.length === 0 && box.paid && (
        <Pill
          x={x}
          y={y - circle - 4}
          text={box.paid === "confirmed" ? "✓" : i18n.text(`ui.paid_${box.paid}`)}
          size={LEAST}
          look={KNOWN[box.paid]}
        />
      )}
      {box.moves.length === 0 && !box.paid && insured.length > 0 && (
        <Pill
          x={x}
          y={y - circle - 4}
          text={`${i18n.text("ui.insured")} ${insured.join(" + ")}`}
          size={LEAST}
          look="act"
        />
      )}
      <circle class={glow ? "badge glow" : "badge"} cx={badgeX} cy={y - circle + 6} r={15} />
      <text
        class={glow ? "badge-number glow" : "badge-number"}
        x={badgeX}
        y={y - circle + 12.2}
        text-anchor="middle"
      >
        {box.box}
      </text>
    </>
  );
}
