// A card was in truth another one, or does not belong to the round. Nothing is sent before "apply".
import { useEffect, useState } from "preact/hooks";
import { RankKeys } from "../parts/pad";
import { preview as askPreview } from "../send";
import type { Preview } from "../view";
import type { Speech } from "../words";
import { PreviewTable } from "./preview";

const REASONS = ["MISREAD", "DEALER_ERROR", "CARD_EXPOSED", "OTHER"] as const;

export type Obs = Record<string, unknown>;

interface Props {
  card: number;
  actor: string;
  seq: number;
  off: boolean;
  speech: Speech;
  onApply: (obs: Obs) => void;
  onCancel: () => void;
}

export function CorrectCard({ card, actor, seq, off, speech, onApply, onCancel }: Props) {
  const [rank, setRank] = useState<string | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const [shown, setShown] = useState<Preview | null>(null);
  const fact = correction(card, rank, actor, reason ?? "OTHER");
  useEffect(() => {
    let wanted = true;
    setShown(null);
    if (fact) void askPreview(fact).then((answer) => wanted && setShown(answer));
    return () => {
      wanted = false;
    };
  }, [rank, seq]);
  const ready = fact !== null && reason !== null && shown !== null && !off;
  return (
    <div class="veil">
      <section class="dialog wide" role="dialog" aria-label={speech.text("ui.correct_card", { card })}>
        <h2>{speech.text("ui.correct_card", { card })}</h2>
        <div class="correct">
          <div>
            <h3>{speech.text("ui.card_really_is")}</h3>
            <div class="ranks compact">
              <RankKeys guesses={[]} chosen={rank} onRank={setRank} />
              <button type="button" class={rank === STRIKE ? "rank-key other on" : "rank-key other"} data-rank="strike" onClick={() => setRank(STRIKE)}>
                {speech.text("key.STRIKE")}
              </button>
            </div>
            <h3>{speech.text("ui.reason")}</h3>
            <Reasons chosen={reason} speech={speech} onChoose={setReason} />
          </div>
          <div>
            <h3>{speech.text("ui.before_and_after")}</h3>
            <PreviewTable preview={shown} speech={speech} />
          </div>
        </div>
        <div class="dialog-keys">
          <button type="button" class="plain" onClick={onCancel}>
            {speech.text("ui.cancel")}
          </button>
          <button type="button" class="plain main" data-key="APPLY" disabled={!ready} onClick={() => fact && onApply(fact)}>
            {speech.text("ui.apply")}
          </button>
        </div>
      </section>
    </div>
  );
}

const STRIKE = "strike";

function correction(card: number, rank: string | null, by: string, reason: string): Obs | null {
  if (rank === null) return null;
  if (rank === STRIKE) return { obs: "strike", card, by, reason, burn: true };
  return { obs: "correct", card, rank, by, reason };
}

interface ReasonsProps {
  chosen: string | null;
  speech: Speech;
  onChoose: (reason: string) => void;
}

export function Reasons({ chosen, speech, onChoose }: ReasonsProps) {
  return (
    <div class="reasons" role="radiogroup" aria-label={speech.text("ui.reason")}>
      {REASONS.map((reason) => (
        <button key={reason} type="button" role="radio" aria-checked={reason === chosen} data-reason={reason} onClick={() => onChoose(reason)}>
          {speech.text(`reason.${reason}`)}
        </button>
      ))}
    </div>
  );
}
