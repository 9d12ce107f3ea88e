// A card was in truth another one, or does not belong to the round. Nothing is sent before "apply".
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { placedCard } from "../i18n/sentences";
import type { Observation } from "../server/commands";
import { RankKeys } from "../shared/rank-keys";
import type { TableView } from "../view";
import { assertNever, type Rank } from "../vocabulary";
import { ActDialog } from "./act-dialog";
import { BeforeAndAfter } from "./before-and-after";
import { PreviewTable } from "./preview-table";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { DEALER, type Place, Targets } from "./targets";
import { ANY_REASON } from "./use-preview";
import { useRuling } from "./use-ruling";

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
  const fact = rulingOf(card, truth, actor, reason ?? ANY_REASON);
  const ruling = useRuling(rulingOf(card, truth, actor, ANY_REASON), view, off);
  return (
    <ActDialog
      title={i18n.text("ui.correct_card", { card: placedCard(view, card, i18n) })}
      size="wide"
      ready={fact !== null && reason !== null && ruling.sound}
      onApply={() => fact && onApply(fact, ruling.guard.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct">
        <div>
          <Truths view={view} truth={truth} onChoose={setTruth} />
          <h3>{i18n.text("ui.reason")}</h3>
          <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />
        </div>
        <BeforeAndAfter ruling={ruling} view={view} by={actor}>
          <PreviewTable preview={ruling.preview} />
        </BeforeAndAfter>
      </div>
    </ActDialog>
  );
}

interface TruthsProps {
  view: TableView;
  truth: Truth | null;
  onChoose: (truth: Truth) => void;
}

function Truths({ view, truth, onChoose }: TruthsProps) {
  const i18n = useI18n();
  const struck = truth?.is === "strike";
  return (
    <>
      <h3>{i18n.text("ui.card_really_is")}</h3>
      <div class="ranks compact">
        <RankKeys
          guesses={[]}
          chosen={truth?.is === "rank" ? truth.rank : null}
          onRank={(rank) => onChoose({ is: "rank", rank })}
        />
        <button
          type="button"
          class={struck ? "rank-key other on" : "rank-key other"}
          data-rank="strike"
          aria-pressed={struck}
          onClick={() => onChoose({ is: "strike" })}
        >
          {i18n.text("key.STRIKE")}
        </button>
      </div>
      <h3>{i18n.text("ui.belongs_to")}</h3>
      <Targets
        view={view}
        chosen={truth?.is === "place" ? truth.place : null}
        onChoose={(place) => onChoose({ is: "place", place })}
      />
    </>
  );
}

/** What the card is in truth: another rank, no card of this round, or a card of another hand. */
type Truth = { is: "rank"; rank: Rank } | { is: "strike" } | { is: "place"; place: Place };

function rulingOf(card: number, truth: Truth | null, by: string, reason: RulingReason): Observation | null {
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
