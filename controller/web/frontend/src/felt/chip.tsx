// Chips as the house colours them.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Chip } from "../view";

/** The house's chips with their colours, for everything below that draws one. */
export const ChipKinds = createContext<readonly Chip[]>([]);

const PLAIN: Chip = { value: "", face: "#c8553d", ink: "#ffffff" };

/** "2.50" stays, "5.00" becomes "5": what is printed on the chip. */
export const chipLabel = (value: string): string => value.replace(/\.00$/, "");

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
  const label = chipLabel(value);
  const shown = Math.min(Math.max(count, 1), 5);
  return (
    <g transform={`translate(${x} ${y})`} class="chip">
      {Array.from({ length: shown }, (_, index) => (
        <Disc key={index} kind={kind} radius={radius} lift={index * radius * 0.24} />
      ))}
      <text
        y={-(shown - 1) * radius * 0.24 + radius * 0.22}
        font-size={label.length > 2 ? radius * 0.5 : radius * 0.66}
        text-anchor="middle"
        fill={kind.ink}
      >
        {label}
      </text>
    </g>
  );
}

function Disc({ kind, radius, lift }: { kind: Chip; radius: number; lift: number }) {
  return (
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
  );
}
