// An earlier round by its number: what is typed stays until it is left, whatever comes meanwhile.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";

interface Props {
  first: number;
  last: number;
  round: number;
  onRound: (round: number) => void;
}

/** A number field from `first` to `last`; a number out of that range is put back to `round` on leaving the field. */
export function RoundField({ first, last, round, onRound }: Props) {
  const i18n = useI18n();
  // A view that is drawn while somebody types would put the old number back if this showed `round` itself.
  const [typed, setTyped] = useState(String(round));
  useEffect(() => setTyped(String(round)), [round]);
  const leave = (number: number): void => {
    if (number >= first && number <= last) onRound(number);
    else setTyped(String(round));
  };
  return (
    <label>
      {i18n.text("ui.earlier_round", { first, last })}
      <input
        name="round"
        type="number"
        min={first}
        max={last}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => leave(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
