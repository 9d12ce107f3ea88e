// Two keys through what differs: for whoever has a mouse, and to say that X does the same.
import { useI18n } from "../i18n/context";
import { differenceFrom } from "./stepping";

interface Props {
  /** The steps at which something differs, in order. */
  differing: readonly number[];
  at: number;
  onStep: (at: number) => void;
}

/** To the difference before, to the next one, and which of how many is shown. */
export function Differences({ differing, at, onStep }: Props) {
  const i18n = useI18n();
  const go = (back: boolean): void => {
    const to = differenceFrom(differing, at, back);
    if (to !== null) onStep(to);
  };
  const here = differing.indexOf(at) + 1;
  return (
    <>
      <button type="button" class="top-key" onClick={() => go(true)}>
        {i18n.text("studio.difference_before")}
      </button>
      <span data-difference={here}>
        {here || "–"} / {differing.length}
      </span>
      <button type="button" class="top-key" onClick={() => go(false)}>
        {i18n.text("studio.difference_next")}
      </button>
    </>
  );
}
