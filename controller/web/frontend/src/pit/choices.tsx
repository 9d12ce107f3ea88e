// One of several, as the native radio buttons of a group: arrow keys move, a reader says which and of how many.
import { useId } from "preact/hooks";

interface Choice<T> {
  value: T;
  label: string;
  /** What tests and style sheets know it by. */
  name?: string;
}

interface Props<T> {
  /** What is chosen, for a reader. */
  legend: string;
  choices: readonly Choice<T>[];
  chosen: T | undefined;
  onChoose: (value: T) => void;
}

/** A group of radio buttons; `chosen` undefined where nothing is yet. */
export function Choices<T>({ legend, choices, chosen, onChoose }: Props<T>) {
  const group = useId();
  return (
    <fieldset class="choices grid gap-8">
      <legend class="hidden-text">{legend}</legend>
      {choices.map(({ value, label, name }) => (
        <label class="row centred within edge-key round-10" key={label} data-reason={name}>
          <input type="radio" name={group} checked={value === chosen} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
