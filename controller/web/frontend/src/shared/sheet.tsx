// A pad beside the table, not over it: the felt, the line and the language stay within reach.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { useOpened } from "./dialog";

interface Props {
  title: string;
  /** Which keys of the keyboard it takes. */
  keys: string;
  /** What is entered, for tests to find it by. */
  amount?: string;
  /** Null where the question has to be answered before anything else. */
  onClose: (() => void) | null;
  onCall: () => void;
  children: ComponentChildren;
}

/** Its head says what is asked; the pit can be called from it. */
export function Sheet({ title, keys, amount, onClose, onCall, children }: Props) {
  const i18n = useI18n();
  const dialog = useOpened("beside");
  const heading = useId();
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={heading} tabIndex={-1} data-amount={amount}>
      <header class="row between">
        <h2 class="fill weight-700" id={heading}>
          {title}
        </h2>
        <span class="fill size-17 soft to-middle">{keys}</span>
        {onClose && (
          <button type="button" class="plain" onClick={onClose}>
            {i18n.text("ui.close")}
          </button>
        )}
        <button type="button" class="plain call" onClick={onCall}>
          {i18n.text("key.CALL_PIT")}
        </button>
      </header>
      {children}
    </dialog>
  );
}
