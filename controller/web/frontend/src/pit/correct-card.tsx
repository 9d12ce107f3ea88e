// A card was in truth another one, or does not belong to the round. Nothing is sent before "apply".
import { useContext, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { placedCard } from "../i18n/sentences";
import { RankKeys } from "../shared/rank-keys";
import type { TableView } from "../view";
import type { Rank } from "../vocabulary";
import { ActDialog, type FactProps, InAlert } from "./act-dialog";
import { BeforeAndAfter } from "./before-and-after";
import { rulingOf, type Truth } from "./card-ruling";
import type { Way } from "./dialog-kinds";
import { PreviewTable } from "./preview-table";
import { Sign, useSignature } from "./signature";
import { StruckAs } from "./struck-as";
import { Targets } from "./targets";
import { useRuling } from "./use-ruling";
import { allowedWays, needsTwo } from "./ways";

interface Props extends FactProps {
  card: number;
  /** The way out of a hold by which the dialog was opened: what it means is chosen beforehand. */
  way?: Way | undefined;
  /** The answer that was pressed in the alert: what one of two readers takes it for. */
  rank?: Rank | null | undefined;
}

function chosenBy(way?: Way, rank?: Rank | null): Truth | null {
  if (rank) return { is: "rank", rank };
  return way === "strike" || way === "burn" ? { is: way } : null;
}

/** The correction of one card: what it is or where it belongs, why, and what hands and money become. */
export function CorrectCard({ card, way, rank, actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [truth, setTruth] = useState(chosenBy(way, rank));
  const about = { round: view.round, on: [`card:${card}`] };
  const chosen = useContext(InAlert) ? way : undefined;
  const ways = chosen ? new Set([chosen]) : allowedWays(view, about);
  const signature = useSignature(needsTwo(view, about));
  const fact = rulingOf(card, truth, actor);
  const ruling = useRuling(fact, view, off);
  return (
    <ActDialog
      title={i18n.text("ui.correct_card", { card: placedCard(view, card, i18n) })}
      size="wide"
      ready={fact !== null && signature.ready && ruling.sound}
      onApply={() => fact && onApply(signature.sign(fact), ruling.guard.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct">
        <div>
          <Truths view={view} truth={truth} ways={ways} onChoose={setTruth} />
          <Sign signature={signature} />
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
  /** What the house allows while this card holds the table; null where it does not. */
  ways: ReadonlySet<Way> | null;
  onChoose: (truth: Truth) => void;
}

function Truths({ view, truth, ways, onChoose }: TruthsProps) {
  const i18n = useI18n();
  const may = (way: Way): boolean => ways === null || ways.has(way);
  const inAlert = useContext(InAlert);
  // In an alert the way out that was chosen says it already.
  const outs = inAlert ? [] : (["burn", "strike"] as const).filter(may);
  return (
    <>
      {may("correct") && (
        <>
          <h3>{i18n.text("ui.card_really_is")}</h3>
          <div class="ranks compact">
            <RankKeys
              chosen={truth?.is === "rank" ? truth.rank : null}
              onRank={(rank) => onChoose({ is: "rank", rank })}
            />
          </div>
        </>
      )}
      {outs.length > 0 && <h3>{i18n.text("ui.not_of_round")}</h3>}
      <div class="ranks compact outs">
        {outs.map((out) => (
          <button
            key={out}
            type="button"
            class={truth?.is === out ? "rank-key other on" : "rank-key other"}
            data-rank={out === "burn" ? "strike" : "strike-out"}
            aria-pressed={truth?.is === out}
            onClick={() => onChoose({ is: out })}
          >
            {i18n.text(out === "burn" ? "key.STRIKE" : "key.STRIKE_OUT")}
          </button>
        ))}
      </div>
      {(truth?.is === "burn" || truth?.is === "strike") && (
        <StruckAs chosen={truth.as} onChoose={(as) => onChoose({ is: truth.is, ...(as ? { as } : {}) })} />
      )}
      {may("move") && (
        <>
          <h3>{i18n.text("ui.belongs_to")}</h3>
          <Targets
            view={view}
            chosen={truth?.is === "place" ? truth.place : null}
            onChoose={(place) => onChoose({ is: "place", place })}
          />
        </>
      )}
    </>
  );
}
