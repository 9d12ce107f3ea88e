// What the pit's dialogs share: a title, reasons, "cancel" and "apply", and the server's preview of what was chosen.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { preview as askPreview, type Obs } from "../send";
import type { Preview } from "../view";
import type { Speech } from "../words";

/** What a ruling is tried out with: no reason moves a card or money. */
export const ANY_REASON = "OTHER";

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

/** The preview of a fact, null until it comes; asked for again when the fact or the table changes. */
export function usePreview(fact: Obs | null, seq: number): Preview | null {
  const asked = fact && JSON.stringify({ fact, seq });
  const latest = useRef(fact);
  latest.current = fact;
  const [answer, setAnswer] = useState<{ asked: string; preview: Preview | null } | null>(null);
  useEffect(() => {
    if (!asked || !latest.current) return undefined;
    let wanted = true;
    void askPreview(latest.current).then((preview) => wanted && setAnswer({ asked, preview }));
    return () => {
      wanted = false;
    };
  }, [asked]);
  // Never the preview of another choice, not even for the moment until the next one is asked for.
  return answer?.asked === asked ? (answer?.preview ?? null) : null;
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
        <button
          key={reason}
          type="button"
          role="radio"
          aria-checked={reason === chosen}
          data-reason={reason}
          onClick={() => onChoose(reason)}
        >
          {speech.text(`reason.${reason}`)}
        </button>
      ))}
    </div>
  );
}
