// What lies over a page: native dialogs, sheets, and what was refused last.

import { type ComponentChildren, createContext, type RefObject } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import type { Notice, Words } from "../view";
import { PlainKey } from "./keys";

interface Refused {
  /** Of the last press on this screen. */
  refusal: Words | null;
  /** Of the last press at a keypad or pedal. */
  notice: Notice | null;
  /** The rule behind the screen's own refusal, where somebody is trained. */
  rule?: Words | null;
}

/** The refusals that are shown now, for the one toast that can be seen and heard. */
export const RefusedContext = createContext<Refused>({ refusal: null, notice: null });

/** What was refused and why; the screen's own refusal goes before a keypad's. */
export function Toast() {
  const i18n = useI18n();
  const { refusal, notice, rule } = useContext(RefusedContext);
  const words = refusal ? i18n.say(refusal) : notice ? pressed(notice, i18n) : "";
  return (
    <div
      class={words ? "toast shown weight-650 bright round-12" : "toast weight-650 bright round-12"}
      role="log"
      aria-live="polite"
    >
      {words}
      {refusal && rule && (
        <small class="block size-18">{i18n.text("ui.rule", { source: i18n.say(rule) })}</small>
      )}
    </div>
  );
}

function pressed({ device, key, why }: Notice, i18n: I18n): string {
  return `${device}, ${i18n.say(key)}: ${i18n.say(why)}`;
}

interface DialogProps {
  /** A sentence: what this dialog asks or shows. */
  title: string;
  size: "small" | "medium" | "wide";
  /** Escape, or what a screen reader has for it. */
  onCancel: () => void;
  children: ComponentChildren;
}

/** A modal dialog: nothing else on the page can be reached until it is answered or left. */
export function Dialog({ title, size, onCancel, children }: DialogProps) {
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

/** A dialog that is looked at, not filled in: its only key below closes it. */
export function Panel({ children, ...dialog }: DialogProps) {
  const i18n = useI18n();
  return (
    <Dialog {...dialog}>
      {children}
      <div class="dialog-keys">
        <PlainKey data-key="CLOSE_PANEL" onClick={dialog.onCancel}>
          {i18n.text("ui.close")}
        </PlainKey>
      </div>
    </Dialog>
  );
}

interface SheetProps {
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
export function Sheet({ title, keys, amount, onClose, onCall, children }: SheetProps) {
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
        {onClose && <PlainKey onClick={onClose}>{i18n.text("ui.close")}</PlainKey>}
        <button type="button" class="plain call" onClick={onCall}>
          {i18n.text("key.CALL_PIT")}
        </button>
      </header>
      {children}
    </dialog>
  );
}
