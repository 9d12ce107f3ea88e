// Whose stake, answer or payout it is: the holder of the box or somebody behind.
import { useI18n } from "../../i18n/context";
import type { SeatFacts } from "../../view";
import { Choices } from "../choices";

interface Props {
  seats: readonly SeatFacts[];
  /** Seats that may be named although nobody is known to bet there. */
  free?: readonly number[];
  chosen: number;
  onChoose: (seat: number) => void;
}

/** A choice of bettors; nothing where there is only one. */
export function Bettors({ seats, free = [], chosen, onChoose }: Props) {
  const i18n = useI18n();
  const numbers = [...new Set([...seats.map((one) => one.seat), ...free])].sort((one, other) => one - other);
  if (numbers.length < 2) return null;
  const choices = numbers.map((seat) => ({
    value: seat,
    label: i18n.text(seat === 0 ? "ui.holder" : "ui.seat_behind", { seat }),
    name: `seat-${seat}`,
  }));
  return <Choices legend={i18n.text("ui.whose")} choices={choices} chosen={chosen} onChoose={onChoose} />;
}
