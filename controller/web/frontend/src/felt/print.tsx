// The table itself: rail, felt, printed lines, tray, shoe and discard rack. It changes only with the language.
import { useI18n } from "../i18n/context";
import type { FeltView } from "../view";
import { CENTRE, HEIGHT, WIDTH } from "./geometry";
import { memo } from "./memo";

const TRAY = ["#d9a92f", "#7a5bb5", "#23272d", "#3f9b6c", "#c8553d", "#c8553d", "#d98cb3"];

function outline(inset: number, low: number): string {
  const left = CENTRE - 609 + inset;
  const right = CENTRE + 609 - inset;
  const top = 4 + inset;
  const bottom = HEIGHT - 6 - low;
  const shoulder = top + 70;
  return (
    `M${left} ${bottom} H${right} V${bottom - 46} C${right} ${shoulder} ${CENTRE + 338} ${top} ${CENTRE} ${top} ` +
    `S${left} ${shoulder} ${left} ${bottom - 46}Z`
  );
}

const arc = (across: number, high: number): string =>
  `M${CENTRE - across} ${HEIGHT - 28} A${across} ${high} 0 0 1 ${CENTRE + across} ${HEIGHT - 28}`;

/** Rail, cloth, the two printed lines that the rules decide, and the tray. */
export const Felt = memo(({ felt }: { felt: FeltView }) => {
  const i18n = useI18n();
  const [won, staked] = felt.blackjack_pays;
  const rule = felt.hits_soft_17 ? "ui.felt_hits_soft_17" : "ui.felt_stands_17";
  return (
    <g aria-hidden="true">
      <defs>
        <radialGradient id="felt" cx="50%" cy="92%" r="78%">
          <stop offset="0" stop-color="#1a4a42" />
          <stop offset=".62" stop-color="#113831" />
          <stop offset="1" stop-color="#0a2420" />
        </radialGradient>
        <linearGradient id="rail" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stop-color="#3a2a20" />
          <stop offset=".5" stop-color="#241a14" />
          <stop offset="1" stop-color="#171009" />
        </linearGradient>
        <filter id="glow" x="-60%" y="-60%" width="220%" height="220%">
          <feGaussianBlur stdDeviation="9" />
        </filter>
        <path id="arc-pays" d={arc(372, 192)} />
        <path id="arc-rule" d={arc(330, 162)} />
      </defs>
      <path d={outline(0, 0)} fill="url(#rail)" stroke="#000" stroke-width={2} />
      <path d={outline(15, 4)} fill="url(#felt)" stroke="#05100e" stroke-width={3} />
      <g class="print">
        <text font-size={17} letter-spacing={4.5}>
          <textPath href="#arc-pays" startOffset="50%" text-anchor="middle">
            {i18n.text("ui.felt_pays", { won, staked })}
          </textPath>
        </text>
        <text font-size={13} letter-spacing={2.2}>
          <textPath href="#arc-rule" startOffset="50%" text-anchor="middle">
            {i18n.text(rule)}
          </textPath>
        </text>
      </g>
      <Tray />
    </g>
  );
});

function Tray() {
  const y = HEIGHT - 30;
  return (
    <g>
      <rect x={CENTRE - 170} y={y - 13} width={340} height={26} rx={6} fill="#0a0d0f" stroke="#2a3a37" />
      {TRAY.map((colour, row) => (
        <g key={row} fill={colour}>
          {Array.from({ length: 11 }, (_, chip) => (
            <rect
              key={chip}
              x={CENTRE - 164 + row * 47.2 + chip * 4}
              y={y - 9}
              width={3.2}
              height={18}
              rx={1}
              opacity={0.4 + (chip % 3) * 0.06}
            />
          ))}
        </g>
      ))}
    </g>
  );
}

interface ShoeProps {
  used: number | null;
}

/** Shoe at the dealer's left, discard rack at the right; `used` is the part of the shoe that is out. */
export const ShoeAndRack = memo(({ used }: ShoeProps) => {
  const i18n = useI18n();
  const y = HEIGHT - 38;
  const out = used ?? 0;
  return (
    <g class="furniture" aria-hidden="true">
      <g transform={`translate(80 ${y - 20})`}>
        <rect class="case" width={104} height={40} rx={8} />
        <rect class="stock" x={7} y={7} width={90 * (1 - out)} height={26} rx={4} />
      </g>
      <text x={194} y={y + 4}>
        {i18n.text("ui.shoe_print")}
      </text>
      <g transform={`translate(${WIDTH - 184} ${y - 20})`}>
        <rect class="case" width={104} height={40} rx={8} />
        {Array.from({ length: Math.round(out * 9) }, (_, row) => (
          <rect key={row} class="stock" x={9} y={33 - row * 3.4} width={86} height={2.2} rx={1} />
        ))}
      </g>
      <text x={WIDTH - 194} y={y + 4} text-anchor="end">
        {i18n.text("ui.discard_print")}
      </text>
    </g>
  );
});
