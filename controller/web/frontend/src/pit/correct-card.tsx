// A card was in truth another one, or does not belong to the round. Nothing is sent before "apply".
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { placedCard } from "../i18n/sentences";
import type { Observation } from "../server/commands";
import { RankKeys } from "../shared/rank-keys";
import type { TableView } from "../view";
import { assertNever, type Rank } from "../vocabulary";
import { ActDialog } from "./act-dialog";
import { PreviewTable } from "./preview-table";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { TableMoved, useStaleGuard } from "./stale-guard";
import { DEALER, type Place, Targets } from "./targets";
import { ANY_REASON, usePreview } from "./use-preview";

interface Props {
  card: number;
  actor: string;
  view: TableView;
  off: boolean;
  /** `seq` is the table that the confirmed preview was worked out on. */
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

/** The correction of one card: what it is or where it belongs, why, and what hands and money become. */
export function CorrectCard({ card, actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [truth, setTruth] = useState<Truth | null>(null);
  const [reason, setReason] = useState<RulingReason | null>(null);
  const guard = useStaleGuard(view);
  const struck = truth?.is === "strike";
  const fact = ruling(card, truth, actor, reason ?? ANY_REASON);
  const shown = usePreview(ruling(card, truth, actor, ANY_REASON), view.seq);
  const allowed = shown !== null && (shown.disputes || shown.problem === null);
  const current = !guard.moved && shown?.seq === guard.seen.seq;
  const ready = fact !== null && reason !== null && allowed && current && !off;
  return (
    <ActDialog
      title={i18n.text("ui.correct_card", { card: placedCard(view, card, i18n) })}
      size="wide"
      ready={ready}
      onApply={() => fact && onApply(fact, guard.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct">
        <div>
          <h3>{i18n.text("ui.card_really_is")}</h3>
          <div class="ranks compact">
            <RankKeys
              guesses={[]}
              chosen={truth?.is === "rank" ? truth.rank : null}
              onRank={(rank) => setTruth({ is: "rank", rank })}
            />
            <button
              type="button"
              class={struck ? "rank-key other on" : "rank-key other"}
              data-rank="strike"
              aria-pressed={struck}
              onClick={() => setTruth({ is: "strike" })}
            >
              {i18n.text("key.STRIKE")}
            </button>
          </div>
          <h3>{i18n.text("ui.belongs_to")}</h3>
          <Targets
            view={view}
            chosen={truth?.is === "place" ? truth.place : null}
            onChoose={(place) => setTruth({ is: "place", place })}
          />
          <h3>{i18n.text("ui.reason")}</h3>
          <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />
        </div>
        <div>
          <h3>{i18n.text("ui.before_and_after")}</h3>
          <TableMoved
            guard={guard}
            view={view}
            by={actor}
            off={off || (fact !== null && shown?.seq !== view.seq)}
          />
          <PreviewTable preview={shown} />
        </div>
      </div>
    </ActDialog>
  );
}

/** What the card is in truth: another rank, no card of this round, or a card of another hand. */
type Truth = { is: "rank"; rank: Rank } | { is: "strike" } | { is: "place"; place: Place };

function ruling(card: number, truth: Truth | null, by: string, reason: RulingReason): Observation | null {
  switch (truth?.is) {
    case undefined:
      return null;
    case "rank":
      return { obs: "correct", card, rank: truth.rank, by, reason };
    case "strike":
      return { obs: "strike", card, by, reason, burn: true };
    case "place":
      return truth.place.box === DEALER
        ? { obs: "move", card, to: "dealer", by, reason }
        : { obs: "move", card, to: "box", ...truth.place, by, reason };
    default:
      return assertNever(truth);
  }
}
