// What the pit's dialogs share: a title, reasons, "cancel" and "apply", and the server's preview of what was chosen.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Obs, preview as askPreview } from "../send";
import type { Preview } from "../view";
import type { Speech } from "../words";

const REASONS = ["MISREAD", "DEALER_ERROR", "CARD_EXPOSED", "OTHER"] as const;

interface Props {
  title: string;
  size: "small" | "wide";
  /** Whether "apply" may be pressed. */
  ready: boolean;
  speech: Speech;
  onApply: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

export function ActDialog({ title, size, ready, speech, onApply, onCancel, children }: Props) {
  return (
    <div class="veil">
      <section class={`dialog ${size}`} role="dialog" aria-label={title}>
        <h2>{title}</h2>
        {children}
        <div class="dialog-keys">
          <button type="button" class="plain" onClick={onCancel}>
            {speech.text("ui.cancel")}
          </button>
          <button type="button" class="plain main" data-key="APPLY" disabled={!ready} onClick={onApply}>
            {speech.text("ui.apply")}
          </button>
        </div>
      </section>
    </div>
  );
}

/** The preview of a fact, null until it comes; asked for again when the choice or the table changes. */
export function usePreview(fact: Obs | null, choice: unknown, seq: number): Preview | null {
  const [shown, setShown] = useState<Preview | null>(null);
  useEffect(() => {
    let wanted = true;
    setShown(null);
    if (fact) void askPreview(fact).then((answer) => wanted && setShown(answer));
    return () => {
      wanted = false;
    };
  }, [choice, seq]);
  return shown;
}

interface ReasonsProps {
  reasons?: readonly string[];
  chosen: string | null;
  speech: Speech;
  onChoose: (reason: string) => void;
}

export function Reasons({ reasons = REASONS, chosen, speech, onChoose }: ReasonsProps) {
  return (
    <div class="reasons" role="radiogroup" aria-label={speech.text("ui.reason")}>
      {reasons.map((reason) => (
        <button key={reason} type="button" role="radio" aria-checked={reason === chosen} data-reason={reason} onClick={() => onChoose(reason)}>
          {speech.text(`reason.${reason}`)}
        </button>
      ))}
    </div>
  );
}
