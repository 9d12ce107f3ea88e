// One hand of a box: its cards, its total or result.
import type { HandView } from "../view";
import type { Speech } from "../words";
import { Fan } from "./card";
import { handPlace } from "./geometry";
import { Pill } from "./pill";

const SIGN: Record<string, string> = {
  win: "+",
  blackjack: "★",
  even_money: "★",
  push: "=",
  insured: "=",
  void: "=",
  lose: "−",
  bust: "−",
  surrender: "−",
  insurance_lost: "−",
};

const LOOK: Record<string, string> = { "+": "pay", "★": "pay", "=": "push", "−": "take" };

export function handLabel(hand: HandView, speech: Speech): string {
  const total = hand.blackjack ? speech.text("ui.bj") : hand.total;
  return hand.outcome ? `${SIGN[hand.outcome]} ${total}` : total;
}

interface Props {
  box: number;
  hand: HandView;
  index: number;
  count: number;
  dim: boolean;
  speech: Speech;
  onPick: ((card: number) => void) | undefined;
}

export function Hand({ box, hand, index, count, dim, speech, onPick }: Props) {
  const place = handPlace(box, index, count);
  const look = hand.outcome ? LOOK[SIGN[hand.outcome] ?? "="] : hand.active ? "tone" : undefined;
  const low = place.y + place.card * 1.38;
  return (
    <g class={dim ? "hand dim" : "hand"} data-hand={`${box}.${hand.hand}`}>
      <Fan cards={hand.cards} x={place.x} y={place.y} width={place.card} room={place.room} onPick={onPick} />
      <Pill x={place.x} y={low + 13} text={handLabel(hand, speech)} size={place.label} look={look} />
      {hand.doubled && (
        <Pill x={place.x - place.room / 2 + 6} y={place.y + 2} text="×2" size={16} look="act" />
      )}
    </g>
  );
}
