// Something was entered wrongly: which fact, what is true, why, and what hands and money become.
import { useContext, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import { useFacts } from "../server/facts";
import type { RoundFacts, RulingFacts, TableView } from "../view";
import { ActDialog, InAlert } from "./act-dialog";
import { BeforeAndAfter } from "./before-and-after";
import { Choices } from "./choices";
import type { Way } from "./dialog-kinds";
import { CardTruth } from "./entered/card";
import { PeekTruth, RevealTruth } from "./entered/dealer";
import { DecisionTruth } from "./entered/decision";
import { InsuranceTruth } from "./entered/insurance";
import { PaidTruth } from "./entered/paid";
import { StakeTruth } from "./entered/stake";
import {
  BOX_FACTS,
  DEALER_FACTS,
  type FactKind,
  hasFact,
  type Subject,
  type TruthProps,
} from "./entered/subject";
import { SwapTruth } from "./entered/swap";
import { PreviewTable } from "./preview-table";
import type { RulingReason } from "./reasons";
import { RoundField } from "./round-field";
import { Sign, type Signature, useSignature } from "./signature";
import { useRuling } from "./use-ruling";
import { allowedWays, needsTwo } from "./ways";

interface Props {
  at: Subject;
  actor: string;
  view: TableView;
  off: boolean;
  /** `reason` is of a payout, whose fact has no place for one. */
  onApply: (obs: Observation, seq: number, reason?: RulingReason) => void;
  onCancel: () => void;
}

const TRUTHS: Record<FactKind, (props: TruthProps) => preact.JSX.Element> = {
  stake: StakeTruth,
  decision: DecisionTruth,
  insurance: InsuranceTruth,
  swap: SwapTruth,
  card: CardTruth,
  paid: PaidTruth,
  peek: PeekTruth,
  reveal: RevealTruth,
};

/** The facts that a way out of a stop names. */
const NAMED: readonly FactKind[] = ["paid", "swap", "card"];

/** One dialog for every fact that people enter; it begins at the one that was tapped. */
export function PutRight({ at, actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [subject, setSubject] = useState(at);
  const facts = useFacts(view.seq, subject.round);
  const [trial, setTrial] = useState<Observation | null>(null);
  const signature = useSignature(needsTwo(view, { round: subject.round, on: subjectsOf(subject, trial) }));
  const ruling = useRuling(trial, view, off);
  const round = facts?.rounds.find((one) => one.round === subject.round);
  const turn = (next: Subject): void => {
    setTrial(null);
    setSubject(next);
  };
  const offered = round ? kinds(round, view, subject) : [];
  const kind = offered.includes(subject.fact) ? subject.fact : offered[0];
  const Truth = kind && TRUTHS[kind];
  // A stop says what it is about; only "amend" leaves open which fact was entered wrongly.
  const fixed = useContext(InAlert) && kind !== undefined && NAMED.includes(kind);
  return (
    <ActDialog
      title={i18n.text("ui.put_right")}
      size="wide"
      ready={trial !== null && signature.ready && ruling.sound}
      onApply={() =>
        trial && onApply(signature.sign(trial), ruling.guard.seen.seq, reasonOf(trial, signature))
      }
      onCancel={onCancel}
    >
      <div class="correct">
        <div>
          {facts && !fixed && <Where facts={facts} subject={subject} onTurn={turn} />}
          {!fixed && (
            <Choices
              legend={i18n.text("ui.which_fact")}
              choices={offered.map((one) => ({ value: one, label: i18n.text(`ui.fact_${one}`), name: one }))}
              chosen={kind}
              onChoose={(fact) => turn({ ...subject, fact })}
            />
          )}
          {facts && offered.length === 0 && <p class="quiet">{i18n.text("ui.nothing_entered")}</p>}
          {Truth && round && kind && (
            <Truth
              key={`${kind}.${subject.round}.${subject.box}`}
              subject={{ ...subject, fact: kind }}
              facts={round}
              by={actor}
              onTrial={setTrial}
            />
          )}
          <Sign signature={signature} />
        </div>
        <BeforeAndAfter ruling={ruling} view={view} by={actor}>
          <PreviewTable preview={ruling.preview} ask={i18n.text("ui.choose_truth")} />
        </BeforeAndAfter>
      </div>
    </ActDialog>
  );
}

const reasonOf = ({ obs }: Observation, { reason }: Signature): RulingReason | undefined =>
  obs === "paid" ? (reason ?? undefined) : undefined;

/** What a ruling is on: what it names, or before something is chosen the box, or the face-down card. */
function subjectsOf({ box, seat }: Subject, trial: Observation | null): readonly string[] {
  switch (trial?.obs) {
    case "swap":
      return [`box:${trial.from.box}`, `box:${trial.with.box}`];
    case "paid":
      return [`bettor:${trial.box}:${trial.seat}`];
    case "correct":
    case "strike":
    case "move":
      return [`card:${trial.card}`];
    default:
      return box > 0 ? [`box:${box}`, `bettor:${box}:${seat ?? 0}`] : ["hole"];
  }
}

/** What can be put right there; what the house forbids while it holds the table is not offered. */
function kinds(round: RoundFacts, view: TableView, { box }: Subject): FactKind[] {
  const ways = allowedWays(view, { round: round.round, on: [box > 0 ? `box:${box}` : "hole"] });
  const all: readonly FactKind[] = box > 0 ? BOX_FACTS : DEALER_FACTS;
  const allowed = (kind: FactKind): boolean => ways === null || waysOf(kind).some((way) => ways.has(way));
  return all.filter((kind) => hasFact(kind, round, box) && allowed(kind));
}

function waysOf(kind: FactKind): readonly Way[] {
  if (kind === "card") return ["correct", "strike", "burn", "move"];
  return kind === "swap" || kind === "paid" ? [kind] : ["amend"];
}

interface WhereProps {
  facts: RulingFacts;
  subject: Subject;
  onTurn: (subject: Subject) => void;
}

/** The round, this one, the last or an earlier one by its number, and the box in it; box 0 is the dealer. */
function Where({ facts, subject, onTurn }: WhereProps) {
  const i18n = useI18n();
  const { rounds, first_round: first } = facts;
  const newest = rounds[0]?.round ?? subject.round;
  const round = rounds.find((one) => one.round === subject.round);
  const boxes = [...new Set([0, subject.box, ...(round?.boxes.map((one) => one.box) ?? [])])].sort(
    (one, other) => one - other,
  );
  const toBox = (box: number): void => {
    const { fact, round: number } = subject;
    onTurn({ fact, round: number, box });
  };
  return (
    <>
      {rounds.length > 1 && (
        <Choices
          legend={i18n.text("ui.round")}
          choices={rounds.map((one) => ({
            value: one.round,
            label: `${i18n.text("ui.round")} ${one.round}`,
            name: `round-${one.round}`,
          }))}
          chosen={subject.round}
          onChoose={(number) => onTurn({ fact: subject.fact, box: subject.box, round: number })}
        />
      )}
      {first < newest - 1 && (
        <RoundField
          first={first}
          last={newest}
          round={subject.round}
          onRound={(number) => onTurn({ fact: subject.fact, box: 0, round: number })}
        />
      )}
      <div class="targets">
        {boxes.map((box) => (
          <button
            key={box}
            type="button"
            aria-label={box === 0 ? i18n.text("ui.dealer") : i18n.text("ui.box", { box })}
            aria-pressed={box === subject.box}
            data-at={box}
            onClick={() => toBox(box)}
          >
            {box === 0 ? i18n.text("ui.dealer") : box}
          </button>
        ))}
      </div>
    </>
  );
}
