// The frame of a ruling: a title, "cancel", and "apply", before which nothing is sent.
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { Dialog } from "../shared/dialog";
import { SecondContext, SecondSigns } from "./second-signs";

interface Props {
  title: string;
  size: "small" | "medium" | "wide";
  /** Whether "apply" may be pressed. */
  ready: boolean;
  /** What "apply" is called here. */
  applyText?: string;
  onApply: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

/** A dialog that ends in a ruling or in none. */
export function ActDialog({ title, size, ready, applyText, onApply, onCancel, children }: Props) {
  const i18n = useI18n();
  const second = useContext(SecondContext);
  return (
    <Dialog title={title} size={size} onCancel={onCancel}>
      {children}
      {second.needed && <SecondSigns />}
      <div class="dialog-keys">
        <button type="button" class="plain" onClick={onCancel}>
          {i18n.text("ui.cancel")}
        </button>
        <button
          type="button"
          class="plain main"
          data-key="APPLY"
          disabled={!ready || (second.needed && second.person === null)}
          onClick={onApply}
        >
          {applyText ?? i18n.text("ui.apply")}
        </button>
      </div>
    </Dialog>
  );
}
