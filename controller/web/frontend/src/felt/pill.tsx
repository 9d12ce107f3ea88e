// A rounded label on the felt.

/** What a label means; "tone" takes the colour of the instruction. */
export type PillLook =
  | "stake"
  | "stake tone-line"
  | "tone"
  | "big"
  | "pay"
  | "take"
  | "push"
  | "act"
  | "stop";

interface Props {
  x: number;
  y: number;
  text: string;
  size: number;
  width?: number;
  look?: PillLook | undefined;
}

/** How wide a label of this text is, in units of the picture. */
export const pillWidth = (text: string, size: number): number =>
  Math.max(size * 1.75, text.length * size * 0.6 + size * 0.8);

/** A label with its middle at x, y, as wide as its text where no width is given. */
export function Pill({ x, y, text, size, width, look }: Props) {
  const across = width ?? pillWidth(text, size);
  const height = size * 1.42;
  return (
    <g class={look ? `pill ${look}` : "pill"} transform={`translate(${x} ${y})`}>
      <rect x={-across / 2} y={-height / 2} width={across} height={height} rx={height / 2} />
      <text y={size * 0.355} font-size={size} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}
