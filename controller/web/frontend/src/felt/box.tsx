// One box: circle, chips, stake and number. A finger finds more than the circle that it sees.

import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import { decimals, digitsOf } from "../i18n/minor-units";
import { boxSentence } from "../i18n/sentences";
import type { BoxView } from "../view";
import { MixedStack } from "./chip";
import { LEAST } from "./geometry";
import { useLayout } from "./layout";
import { Pill, type PillLook, pillWidth } from "./pill";
import { PressArea } from "./press-area";

interface Props {
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
export function BoxSpot({ box, dim, glow, lays, onTap }: Props) {
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
