// What opens over the table: native dialogs, which keep the focus and give it back when they close.
import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { Toast } from "./toast";

interface Props {
  /** A sentence: what this dialog asks or shows. */
  title: string;
  size: "small" | "medium" | "wide";
  /** Escape, or what a screen reader has for it. */
  onCancel: () => void;
  children: ComponentChildren;
}

/** A modal dialog: nothing else on the page can be reached until it is answered or left. */
export function Dialog({ title, size, onCancel, children }: Props) {
  const dialog = useOpened("modal");
  const heading = useId();
  return (
    <dialog
      ref={dialog}
      class={`scroll dialog ${size}`}
      aria-modal="true"
      aria-labelledby={heading}
      tabIndex={-1}
      onCancel={onCancel}
    >
      <h2 class="weight-750" id={heading}>
        {title}
      </h2>
      {children}
      {/* In here, because a reader is told nothing of the page behind a modal dialog. */}
      <Toast />
    </dialog>
  );
}

/**
 * Opens the dialog as soon as it is on the page and closes it before it goes, so that the focus returns to where it was.
 *
 * The dialog itself takes the focus, unless something in it asks for it: Enter of a pedal then presses none of its keys.
 */
export function useOpened(manner: "modal" | "beside"): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    if (manner === "modal") dialog.showModal();
    else dialog.show();
    if (!dialog.querySelector("[autofocus]")) dialog.focus();
    return () => dialog.close();
  }, [manner]);
  return ref;
}

/** The only key below a panel that is looked at, not filled in. */
export function CloseKey({ onClose }: { onClose: () => void }) {
  const i18n = useI18n();
  return (
    <div class="dialog-keys">
      <button type="button" class="plain" data-key="CLOSE_PANEL" onClick={onClose}>
        {i18n.text("ui.close")}
      </button>
    </div>
  );
}
