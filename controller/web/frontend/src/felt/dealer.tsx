// The dealer's hand at the straight edge, with the total that lies open.
import type { DealerView } from "../view";
import { Fan } from "./card";
import { CENTRE, HEIGHT } from "./geometry";
import { Pill } from "./pill";

const CARD = 74;
const ROOM = 330;

interface Props {
  dealer: DealerView;
  active: boolean;
  onPick: ((card: number) => void) | undefined;
}

export function DealerHand({ dealer, active, onPick }: Props) {
  const count = dealer.cards.length;
  if (count === 0) return null;
  const pitch = count > 1 ? Math.min(CARD * 0.6, (ROOM - CARD) / (count - 1)) : 0;
  const across = CARD + pitch * (count - 1);
  const x = CENTRE - 18;
  const y = HEIGHT - 166;
  return (
    <g data-dealer="true">
      {active && (
        <>
          <rect
            class="halo-box"
            x={x - across / 2 - 14}
            y={y - 12}
            width={across + 28}
            height={CARD * 1.38 + 24}
            rx={16}
          />
          <rect
            class="frame-box"
            x={x - across / 2 - 14}
            y={y - 12}
            width={across + 28}
            height={CARD * 1.38 + 24}
            rx={16}
          />
        </>
      )}
      <Fan cards={dealer.cards} x={x} y={y} width={CARD} room={ROOM} onPick={onPick} />
      {dealer.total !== null && (
        <Pill
          x={x + across / 2 + 74}
          y={y + CARD * 0.69}
          text={dealer.total}
          size={dealer.total.length > 3 ? 34 : 44}
          width={dealer.total.length > 3 ? 104 : 86}
          look={active ? "tone" : "big"}
        />
      )}
    </g>
  );
}
