// Chips as the house colours them.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Chip } from "../view";
import { memo } from "./memo";

/** The house's chips with their colours, for everything below that draws one. */
export const ChipKinds = createContext<readonly Chip[]>([]);

const PLAIN: Chip = { value: "", face: "#c8553d", ink: "#ffffff" };

/** What is printed on a chip, as the reader writes it: "2,50" and "5"; nothing on one that the house does not have. */
const print = (value: string, i18n: I18n): string => (value === "" ? "" : i18n.chips(value));

/** Letters of a print, by the radius: "1,000" is longer than "500". */
const letters = (label: string, radius: number): number =>
  radius * (label.length > 4 ? 0.42 : label.length > 2 ? 0.5 : 0.66);

interface Props {
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
export function ChipStack({ x, y, radius, value, count }: Props) {
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
