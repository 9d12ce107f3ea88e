// The frame of a ruling: a title, "cancel", and "apply", before which nothing is sent.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";

interface Props {
  title: string;
  size: "small" | "wide";
  /** Whether "apply" may be pressed. */
  ready: boolean;
  onApply: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

export function ActDialog({ title, size, ready, onApply, onCancel, children }: Props) {
  const i18n = useI18n();
  return (
    <div class="veil">
      <section class={`dialog ${size}`} role="dialog" aria-label={title}>
        <h2>{title}</h2>
        {children}
        <div class="dialog-keys">
          <button type="button" class="plain" onClick={onCancel}>
            {i18n.text("ui.cancel")}
          </button>
          <button type="button" class="plain main" data-key="APPLY" disabled={!ready} onClick={onApply}>
            {i18n.text("ui.apply")}
          </button>
        </div>
      </section>
    </div>
  );
}
