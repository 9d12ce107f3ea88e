// A short text that a person types: the number of a slip, a dealer's id, a pseudonym.
interface Props {
  label: string;
  name: string;
  maxLength: number;
  value: string;
  onValue: (value: string) => void;
}

/** One line with its label; nothing is proposed from what was typed before. */
export function TextField({ label, name, maxLength, value, onValue }: Props) {
  return (
    <label>
      {label}
      <input
        name={name}
        maxLength={maxLength}
        autocomplete="off"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}
