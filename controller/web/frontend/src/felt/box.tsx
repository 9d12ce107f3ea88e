// One box: circle, chips, stake and number. A finger finds more than the circle that it sees.
import type { BoxView } from "../view";
import type { Speech } from "../words";
import { ChipStack } from "./chip";
import { betSpot, CENTRE, CIRCLE } from "./geometry";
import { Pill } from "./pill";

interface Props {
  box: BoxView;
  dim: boolean;
  glow: boolean;
  speech: Speech;
  onTap: ((box: number) => void) | undefined;
}

export function BoxSpot({ box, dim, glow, speech, onTap }: Props) {
  const { x, y } = betSpot(box.box);
  const lies = box.stake !== null;
  return (
    <g class={dim ? "box dim" : "box"} data-box={box.box} data-glow={glow}>
      {glow && <circle class="halo" cx={x} cy={y} r={CIRCLE + 9} />}
      <circle class={glow ? "ring glow" : lies ? "ring" : "ring empty"} cx={x} cy={y} r={CIRCLE} />
      {lies ? <Stake box={box} glow={glow} speech={speech} /> : <Empty box={box.box} x={x} y={y} />}
      {onTap && (
        <circle
          class="tap"
          cx={x}
          cy={y}
          r={CIRCLE + 12}
          role="button"
          tabIndex={0}
          aria-label={speech.text("ui.box", { box: box.box })}
          onClick={() => onTap(box.box)}
        />
      )}
    </g>
  );
}

function Empty({ box, x, y }: { box: number; x: number; y: number }) {
  return (
    <text class="empty-number" x={x} y={y + 10} font-size={28} text-anchor="middle">
      {box}
    </text>
  );
}

function stakeText(box: BoxView, speech: Speech): string {
  const short = box.seats.some((seat) => seat.short !== null);
  const amounts = box.seats.map((seat) => speech.money(seat.stake)).join(" + ");
  return short ? `! ${amounts}` : amounts;
}

function Stake({ box, glow, speech }: { box: BoxView; glow: boolean; speech: Speech }) {
  const { x, y } = betSpot(box.box);
  const top = box.chips[0] ?? ["", 1];
  const count = box.chips.reduce((sum, [, several]) => sum + several, 0);
  const badgeX = x + (x > CENTRE + 5 ? 1 : -1) * (CIRCLE + 11);
  const text = stakeText(box, speech);
  const insured = box.seats.filter((seat) => seat.insurance !== null);
  const look = box.seats.some((seat) => seat.short !== null) ? "stop" : glow ? "stake tone-line" : "stake";
  return (
    <>
      <ChipStack x={x} y={y + 3} radius={CIRCLE * 0.74} value={top[0]} count={Math.min(count, 4)} />
      <Pill x={x} y={y + CIRCLE + 13} text={text} size={text.length > 9 ? 16 : 20} look={look} />
      <circle class={glow ? "badge glow" : "badge"} cx={badgeX} cy={y - CIRCLE + 6} r={15} />
      <text
        class={glow ? "badge-number glow" : "badge-number"}
        x={badgeX}
        y={y - CIRCLE + 12.2}
        text-anchor="middle"
      >
        {box.box}
      </text>
      {insured.length > 0 && (
        <Pill
          x={x}
          y={y - CIRCLE - 4}
          text={`${speech.text("ui.insured")} ${insured.map((seat) => speech.money(seat.insurance ?? "0")).join(" + ")}`}
          size={14}
          look="act"
        />
      )}
    </>
  );
}
