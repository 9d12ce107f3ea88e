// A card was in truth another one, or does not belong to the round. Nothing is sent before "apply".
import { useState } from "preact/hooks";
import { RankKeys } from "../parts/pad";
import type { Obs } from "../send";
import type { TableView } from "../view";
import type { Speech } from "../words";
import { ActDialog, ANY_REASON, Reasons, usePreview } from "./act-dialog";
import { PreviewTable } from "./preview";
import { TableMoved, useSight } from "./sight";
import { DEALER, type Place, Targets } from "./targets";

interface Props {
  card: number;
  actor: string;
  view: TableView;
  off: boolean;
  speech: Speech;
  /** `seq` is the table that the confirmed preview was worked out on. */
  onApply: (obs: Obs, seq: number) => void;
  onCancel: () => void;
}

export function CorrectCard({ card, actor, view, off, speech, onApply, onCancel }: Props) {
  const [truth, setTruth] = useState<Truth | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const sight = useSight(view);
  const fact = ruling(card, truth, actor, reason ?? ANY_REASON);
  const shown = usePreview(ruling(card, truth, actor, ANY_REASON), view.seq);
  const allowed = shown !== null && (shown.disputes || shown.problem === null);
  const current = !sight.moved && shown?.seq === sight.seen.seq;
  const ready = fact !== null && reason !== null && allowed && current && !off;
  return (
    <ActDialog
      title={speech.text("ui.correct_card", { card })}
      size="wide"
      ready={ready}
      speech={speech}
      onApply={() => fact && onApply(fact, sight.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct">
        <div>
          <h3>{speech.text("ui.card_really_is")}</h3>
          <div class="ranks compact">
            <RankKeys
              guesses={[]}
              chosen={truth?.rank ?? null}
              speech={speech}
              onRank={(rank) => setTruth({ rank })}
            />
            <button
              type="button"
              class={truth?.strike ? "rank-key other on" : "rank-key other"}
              data-rank="strike"
              onClick={() => setTruth({ strike: true })}
            >
              {speech.text("key.STRIKE")}
            </button>
          </div>
          <h3>{speech.text("ui.belongs_to")}</h3>
          <Targets
            view={view}
            chosen={truth?.place ?? null}
            speech={speech}
            onChoose={(place) => setTruth({ place })}
          />
          <h3>{speech.text("ui.reason")}</h3>
          <Reasons chosen={reason} speech={speech} onChoose={setReason} />
        </div>
        <div>
          <h3>{speech.text("ui.before_and_after")}</h3>
          <TableMoved
            sight={sight}
            view={view}
            by={actor}
            off={off || (fact !== null && shown?.seq !== view.seq)}
            speech={speech}
          />
          <PreviewTable preview={shown} speech={speech} />
        </div>
      </div>
    </ActDialog>
  );
}

/** What the card is in truth: another rank, no card of this round, or a card of another hand. */
interface Truth {
  rank?: string;
  strike?: boolean;
  place?: Place;
}

function ruling(card: number, truth: Truth | null, by: string, reason: string): Obs | null {
  if (truth?.rank) return { obs: "correct", card, rank: truth.rank, by, reason };
  if (truth?.strike) return { obs: "strike", card, by, reason, burn: true };
  if (truth?.place?.box === DEALER) return { obs: "move", card, to: "dealer", by, reason };
  if (truth?.place) return { obs: "move", card, to: "box", ...truth.place, by, reason };
  return null;
}
