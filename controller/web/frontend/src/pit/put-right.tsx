// A round put right: its felt, the form beside what was tapped, and what follows from it.
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { decimals, digitsOf, minorUnits, useI18n } from "../i18n/i18n";
import { cardPlace, cardSign, placedCard, placeName } from "../i18n/sentences";
import { type Observation, useFacts } from "../server/http";
import { Toast, useOpened } from "../shared/dialog";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/instruction-bar";
import { SmallKey } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { Preview, RoundFacts, RulingFacts, TableView } from "../view";
import type { Way } from "../vocabulary";
import { RoundPictures } from "./camera-doubt";
import {
  CardTruth,
  DecisionTruth,
  InsuranceTruth,
  PaidTruth,
  PeekTruth,
  RevealTruth,
  StakeTruth,
  SwapTruth,
  useBeside,
} from "./entered";
import { Freeze } from "./pit-bar";
import {
  ActDialog,
  BeforeAndAfter,
  Choices,
  InAlert,
  PreviewTable,
  type RulingReason,
  SecondContext,
  SecondSigns,
  Sign,
  type Signature,
  useRuling,
  useSignature,
} from "./ruling";
import {
  allowedWays,
  BOX_FACTS,
  cardSubject,
  DEALER_FACTS,
  type Dialog,
  drawnRound,
  type FactKind,
  firstCard,
  hasFact,
  needsTwo,
  type PutRightAt,
  type Subject,
  type TruthProps,
} from "./ways";

/** Well below the server's four seconds, after which it takes the page for lost. */
const RENEW_MS = 1500;
/** A form that nobody has touched for so long holds the table up no more; the session ends by then, too. */
const IDLE_MS = 110_000;

/** Holds the dealer's keys while `card` is chosen; a page that is reloaded or lost stops saying so, and frees them. */
function useEditing(card: number | null, commands: Commands): void {
  const say = useRef(commands.quietly);
  say.current = commands.quietly;
  const chosen = useRef(card);
  chosen.current = card;
  const on = card !== null;
  useEffect(() => {
    if (!on) return undefined;
    // After one act of the pit the screen is the dealer's again, who cannot say that the pit has finished.
    const quietly = say.current;
    let touched = performance.now();
    const touch = (): void => {
      touched = performance.now();
    };
    const renew = (): void => {
      if (performance.now() - touched < IDLE_MS) {
        void quietly([{ do: "editing", on: true, card: chosen.current }]);
      }
    };
    renew();
    const timer = setInterval(renew, RENEW_MS);
    addEventListener("pointerdown", touch);
    addEventListener("keydown", touch);
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", touch);
      removeEventListener("keydown", touch);
      void quietly([{ do: "editing", on: false, card: null }]);
    };
  }, [on]);
}

interface PutRightProps {
  at: PutRightAt;
  actor: string;
  view: TableView;
  off: boolean;
  commands: Commands;
  /** `reason` is of a payout, whose fact has no place for one. */
  onApply: (obs: Observation, seq: number, reason?: RulingReason, more?: readonly Observation[]) => void;
  onOpen: (dialog: Dialog) => void;
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

/** In an alert the form alone, of the fact that the stop names; else the whole round with the form beside what was tapped. */
export function PutRight({ at, actor, view, off, commands, onApply, onOpen, onCancel }: PutRightProps) {
  const i18n = useI18n();
  const inAlert = useContext(InAlert);
  const { needed } = useContext(SecondContext);
  const [subject, setSubject] = useState<Subject | null>("fact" in at ? at : null);
  const [number, setNumber] = useState(at.round);
  const [trial, setTrial] = useState<Observation | null>(null);
  const [kept, setKept] = useState<readonly Kept[]>([]);
  const [chips, setChips] = useState<"move" | "stay" | null>(null);
  const facts = useFacts(view.seq, number);
  const round = facts?.rounds.find((one) => one.round === number);
  const drawn = round && drawnRound(view, round);
  const all = [...kept.map((one) => one.trial), ...(trial ? [trial] : [])];
  const ruling = useRuling(all.at(-1) ?? null, view, off, all.slice(0, -1));
  const subjects = [...kept.map((one) => one.subject), ...(subject ? [subject] : [])];
  const signature = useSignature(
    subjects.some((one) => needsTwo(view, aboutOf(one))) || ruling.preview?.second === true,
  );
  useEditing(number === view.round && subject?.fact === "card" ? (subject.card ?? null) : null, commands);
  // What was chosen at the last target stays on the list; a target that is tapped again is chosen anew.
  const turn = (tapped: Subject): void => {
    const next =
      tapped.fact === "card" ? { ...tapped, card: tapped.card ?? cardOf(drawn, tapped.box) } : tapped;
    if (subject && nameOf(next) === nameOf(subject)) return;
    const last = trial && subject ? [{ trial, subject }] : [];
    setKept([...kept, ...last].filter((one) => nameOf(one.subject) !== nameOf(next)));
    setTrial(null);
    setSubject(next);
  };
  const Truth = subject && TRUTHS[subject.fact];
  const form = Truth && round && drawn && (
    <Truth
      key={nameOf(subject)}
      subject={subject}
      facts={round}
      view={drawn}
      ways={inAlert && subject.way ? new Set([subject.way]) : waysOf(view, subject)}
      by={actor}
      onTrial={setTrial}
    />
  );
  // A round that has ended pays nobody any more: the pit moves the chips, or leaves the difference open.
  const owed = round?.closed ? (ruling.preview?.money ?? []).filter((row) => row.owed !== null) : [];
  const chosen = owed.length === 0 || chips !== null;
  const ready = all.length > 0 && chosen && signature.ready && ruling.sound;
  const apply = (): void => {
    const moved = (chips === "move" ? owed : []).map(
      ({ box, seat, owed: due }): Observation => ({
        obs: "paid",
        box,
        seat,
        amount: minorUnits(due ?? "") ?? 0,
        round: number,
      }),
    );
    const [first, ...more] = [...all.map(signature.sign), ...moved];
    const paid = all.some(({ obs }) => obs === "paid");
    const reason = (paid && signature.reason) || undefined;
    if (first) onApply(first, ruling.guard.seen.seq, reason, more);
  };
  const said = trial && subject && drawn && <Said trial={trial} subject={subject} view={drawn} />;
  const money = (
    <BeforeAndAfter ruling={ruling} view={view} by={actor}>
      <div class="said row wrap">
        {drawn &&
          kept.map((one) => (
            <Said key={nameOf(one.subject)} view={drawn} {...one}>
              <SmallKey
                aria-label={`${i18n.text("key.UNDO")}: ${titleOf(one.subject, drawn, i18n)}`}
                onClick={() => setKept(kept.filter((other) => other !== one))}
              >
                ✕
              </SmallKey>
            </Said>
          ))}
        {!inAlert && said}
      </div>
      <PreviewTable preview={ruling.preview} ask={i18n.text("ui.choose_truth")} />
    </BeforeAndAfter>
  );
  if (inAlert) {
    return (
      <ActDialog
        title={i18n.text("key.CORRECT")}
        size="wide"
        ready={ready}
        onApply={apply}
        onCancel={onCancel}
      >
        <div class="correct grid">
          <div>
            {form}
            {said}
            <Sign signature={signature} by={actor} />
          </div>
          {money}
        </div>
      </ActDialog>
    );
  }
  const toRound = (next: number): void => {
    setTrial(null);
    setSubject(null);
    setKept([]);
    setNumber(next);
  };
  return (
    <Page number={number} onCancel={onCancel}>
      <Live view={view} number={number} off={off} commands={commands} onOpen={onOpen} />
      <Head
        number={number}
        first={facts?.first_round ?? number}
        view={view}
        off={off}
        onRound={toRound}
        onOpen={onOpen}
        onCancel={onCancel}
      />
      {round && drawn ? (
        <Round round={round} view={drawn} subject={subject} onTurn={turn}>
          {subject && (
            <>
              <h3>{titleOf(subject, drawn, i18n)}</h3>
              {form}
              <Kinds round={round} view={drawn} live={view} subject={subject} onTurn={turn} />
            </>
          )}
        </Round>
      ) : (
        <p class="quiet">
          {i18n.text(gone(facts, number) ? "ui.round_missing" : "ui.loading", { round: number })}
        </p>
      )}
      <aside class="correct-side stack gap-8 low">
        {money}
        {owed.length > 0 && (
          <Choices
            legend={i18n.text("ui.chips")}
            choices={[
              { value: "move", label: chipsOf(ruling.preview, i18n), name: "move" },
              { value: "stay", label: i18n.text("ui.record_only"), name: "stay" },
            ]}
            chosen={chips ?? undefined}
            onChoose={setChips}
          />
        )}
        <Sign signature={signature} by={actor} />
        {needed && <SecondSigns />}
        <button type="button" class="plain main still" data-key="APPLY" disabled={!ready} onClick={apply}>
          {i18n.text("ui.apply")}
          {chosen
            ? applied(all, signature, chips === "stay" ? null : ruling.preview, i18n)
            : `: ${i18n.text("ui.missing_amount")}`}
        </button>
      </aside>
    </Page>
  );
}

type Translate = ReturnType<typeof useI18n>;

const gone = (facts: RulingFacts | null, number: number): boolean =>
  facts !== null && !facts.rounds.some((one) => one.round === number);

const cardOf = (drawn: TableView | undefined, box: number): number | undefined =>
  drawn && firstCard(drawn, box);

const aboutOf = ({ round, card, fact, box }: Subject) => ({
  round,
  on: [fact === "card" && card ? `card:${card}` : box > 0 ? `box:${box}` : "hole"],
});

const waysOf = (view: TableView, subject: Subject): ReadonlySet<Way> | null =>
  allowedWays(view, aboutOf(subject));

/** A correction of the round that is applied with the one in hand. */
interface Kept {
  trial: Observation;
  subject: Subject;
}

const nameOf = ({ fact, round, box, card, hand }: Subject): string =>
  `${fact} ${round} ${box} ${card} ${hand}`;

/** "collect 140.00": what the pit does with chips so that everybody has what is due. */
function chipsOf(preview: Preview | null, i18n: Translate): string {
  const change = preview?.chips.money ?? "0";
  const amount = { money: change.replace(/^[+-]/, "") };
  return i18n.text(change.startsWith("-") ? "ui.pay_out" : "ui.collect", { amount });
}

/** What the key does with the figures, or what is missing. */
function applied(
  all: readonly Observation[],
  signature: Signature,
  preview: Preview | null,
  i18n: Translate,
) {
  if (all.length === 0) return `: ${i18n.text("ui.missing_truth")}`;
  if (!signature.reason) return `: ${i18n.text("ui.missing_reason")}`;
  if (!signature.ready) return `: ${i18n.text("ui.missing_second")}`;
  const said = [
    ...all.flatMap((one) =>
      one.obs === "correct" && one.rank ? [cardSign({ rank: one.rank, suit: one.suit ?? null })] : [],
    ),
    ...(/[1-9]/.test(preview?.chips.money ?? "") ? [chipsOf(preview, i18n)] : []),
  ];
  return said.length > 0 ? `: ${said.join(", ")}` : "";
}

function titleOf(subject: Subject, view: TableView, i18n: Translate): string {
  if (subject.fact === "card" && subject.card) return placedCard(view, subject.card, i18n);
  const place = placeName(
    { box: subject.box, hand: subject.hand ?? 1, split: subject.hand !== undefined },
    i18n,
  );
  return `${place}: ${i18n.text(`ui.fact_${subject.fact}`)}`;
}

interface SaidProps extends Kept {
  view: TableView;
  /** What takes it off the list. */
  children?: preact.ComponentChildren;
}

/** "9♦ → 9♣, box 1"; of what is no other card, its place and what is true of it. */
function Said({ trial, subject, view, children }: SaidProps) {
  const i18n = useI18n();
  const found = trial.obs === "correct" && trial.card ? cardPlace(view, trial.card) : null;
  return (
    <p data-said>
      {found && trial.obs === "correct" && trial.rank ? (
        <>
          <b>
            <s>{cardSign(found.card)}</s> → {cardSign({ rank: trial.rank, suit: trial.suit ?? null })}
          </b>
          , {placeName(found, i18n)}
        </>
      ) : (
        <>
          {titleOf(subject, view, i18n)} → <b>{truthOf(trial, view, i18n)}</b>
        </>
      )}
      {children}
    </p>
  );
}

/** What a correction says in a word or an amount. */
function truthOf(trial: Observation, { chips }: TableView, i18n: Translate): string {
  const money = (minor: number): string => i18n.money(decimals(minor, digitsOf(chips[0]?.value ?? "0.00")));
  if ("amount" in trial && typeof trial.amount === "number") return money(trial.amount);
  if ("stake" in trial && typeof trial.stake === "number") return money(trial.stake);
  if ("action" in trial)
    return i18n.text(trial.action ? `key.${trial.action.toUpperCase()}` : "ui.never_made");
  if (trial.obs === "strike") return i18n.text(trial.burn ? "key.STRIKE" : "key.STRIKE_OUT");
  if (trial.obs === "move")
    return placeName({ box: trial.box ?? 0, hand: trial.hand ?? 1, split: false }, i18n);
  return i18n.text("ui.after");
}

interface PageProps {
  number: number;
  onCancel: () => void;
  children: preact.ComponentChildren;
}

/** The whole screen: nothing of the table behind it is needed, its line stands on top. */
function Page({ number, onCancel, children }: PageProps) {
  const i18n = useI18n();
  const dialog = useOpened("modal");
  return (
    <dialog
      ref={dialog}
      class="dialog full scroll"
      aria-modal="true"
      aria-label={i18n.text("ui.correct_round", { round: number })}
      tabIndex={-1}
      onCancel={onCancel}
    >
      {children}
      <Toast />
    </dialog>
  );
}

interface LiveProps extends Pick<PutRightProps, "view" | "off" | "commands" | "onOpen"> {
  number: number;
}

/** The table as it goes on, or waits, while the page is open. */
function Live({ view, number, off, commands, onOpen }: LiveProps) {
  const i18n = useI18n();
  const prompt = promptOf(view);
  const waits = view.editing_by !== null ? "ui.correct_waits" : "ui.correct_runs";
  return (
    <header class="live-strip edge-below" data-tone={prompt.tone}>
      <b>{view.table}</b>
      <span class="quiet">
        {i18n.text("ui.round")} {view.round} {view.dealing && `· ${view.dealing}`}
      </span>
      <strong class={`weight-800 size-18 line tone-${prompt.tone}`} data-line={prompt.line.code}>
        {i18n.say(prompt.line)}
      </strong>
      <span class="quiet">{i18n.text(number === view.round ? waits : "ui.correct_apart")}</span>
      <Freeze table={{ view, off, commands, open: onOpen }} />
    </header>
  );
}

interface HeadProps extends Pick<PutRightProps, "view" | "off" | "onOpen" | "onCancel"> {
  number: number;
  first: number;
  onRound: (round: number) => void;
}

/** Which round it is, with its neighbours; what voids the running one; Cancel. */
function Head({ number, first, view, off, onRound, onOpen, onCancel }: HeadProps) {
  const i18n = useI18n();
  return (
    <div class="correct-head">
      <SmallKey
        data-round={number - 1}
        aria-label={i18n.text("ui.round_number", { round: number - 1 })}
        disabled={number <= first}
        onClick={() => onRound(number - 1)}
      >
        ‹
      </SmallKey>
      <h2 class="weight-750">{i18n.text("ui.correct_round", { round: number })}</h2>
      <SmallKey
        data-round={number + 1}
        aria-label={i18n.text("ui.round_number", { round: number + 1 })}
        disabled={number >= view.round}
        onClick={() => onRound(number + 1)}
      >
        ›
      </SmallKey>
      <span class="spring" />
      {number === view.round && (
        <SmallKey data-key="VOID" disabled={off} onClick={() => onOpen({ open: "void" })}>
          {i18n.text("key.VOID_DOTS")}
        </SmallKey>
      )}
      <SmallKey data-key="CANCEL" onClick={onCancel}>
        {i18n.text("ui.cancel")} <kbd>Esc</kbd>
      </SmallKey>
    </div>
  );
}

interface RoundProps {
  round: RoundFacts;
  view: TableView;
  subject: Subject | null;
  onTurn: (subject: Subject) => void;
  /** The form of what was tapped. */
  children: preact.ComponentChildren;
}

/** The felt from the pit's side, the form beside what was tapped, and the decisions below. */
function Round({ round, view, subject, onTurn, children }: RoundProps) {
  const i18n = useI18n();
  const felt = useBeside(subject);
  const at = { round: round.round };
  const settled = (box: number): boolean => hasFact("paid", round, view, box);
  return (
    <div class="correct-left stack gap-8 low to-middle">
      <p class="quiet">{i18n.text("ui.correct_hint")}</p>
      <div class="felt fill low within edge round-12" ref={felt}>
        <FittedTable
          view={view}
          prompt={{ ...promptOf(view), box: null, hand: null, dealer: false }}
          from="pit"
          onBox={(box) => onTurn({ ...at, fact: "stake", box })}
          onHand={(box, hand) => onTurn({ ...at, fact: settled(box) ? "paid" : "decision", box, hand })}
          onDealer={() => onTurn({ ...at, fact: round.peek === null ? "reveal" : "peek", box: 0 })}
          onCard={(card) => onTurn(cardSubject(view, card))}
        />
        {children && (
          <>
            <i class="aim round-10" aria-hidden="true" />
            <section
              class="beside-target stack gap-8 scroll-y to-left"
              aria-label={subject ? titleOf(subject, view, i18n) : undefined}
            >
              {children}
            </section>
          </>
        )}
      </div>
      {round.closed && <RoundPictures number={round.round} />}
      <div class="decision-keys press">
        {round.boxes.flatMap(({ box, hands }) =>
          hands
            .filter(({ decisions }) => decisions.length > 0)
            .map(({ hand, decisions }) => (
              <SmallKey
                key={`${box}.${hand}`}
                data-decision={`${box}.${hand}`}
                aria-pressed={subject?.fact === "decision" && subject.box === box && subject.hand === hand}
                onClick={() => onTurn({ ...at, fact: "decision", box, hand })}
              >
                <span class="quiet">{hands.length > 1 ? `${box}.${hand}` : box}</span>{" "}
                <span>
                  {decisions
                    .map(({ action }) => i18n.text(action ? `key.${action.toUpperCase()}` : "ui.never_made"))
                    .join(", ")}
                </span>
                <b>{totalOf(view, box, hand)}</b>
              </SmallKey>
            )),
        )}
      </div>
    </div>
  );
}

const totalOf = ({ boxes }: TableView, at: number, nth: number): string | undefined =>
  boxes.find(({ box }) => box === at)?.hands.find(({ hand }) => hand === nth)?.total;

interface KindsProps {
  round: RoundFacts;
  view: TableView;
  /** The table as it is now, whose stops limit what may be ruled. */
  live: TableView;
  subject: Subject;
  onTurn: (subject: Subject) => void;
}

/** What else can be put right there; what the house forbids while it holds the table is not offered. */
function Kinds({ round, view, live, subject: { box, hand, fact }, onTurn }: KindsProps) {
  const i18n = useI18n();
  const at = { round: round.round, box, ...(hand === undefined ? {} : { hand }) };
  const ways = waysOf(live, { ...at, fact: "stake" });
  const all: readonly FactKind[] = box > 0 ? BOX_FACTS : DEALER_FACTS;
  const kinds = all.filter(
    (kind) => hasFact(kind, round, view, box) && (ways === null || NEEDED[kind].some((way) => ways.has(way))),
  );
  return (
    <Choices
      legend={i18n.text("ui.which_fact")}
      choices={kinds.map((one) => ({ value: one, label: i18n.text(`ui.fact_${one}`), name: one }))}
      chosen={fact}
      onChoose={(kind) => onTurn({ ...at, fact: kind })}
    />
  );
}

/** The ways out of a stop of which a ruling on each kind is one. */
const NEEDED: Record<FactKind, readonly Way[]> = {
  stake: ["amend"],
  decision: ["amend"],
  insurance: ["amend"],
  peek: ["amend"],
  reveal: ["amend"],
  swap: ["swap"],
  paid: ["paid"],
  card: ["correct", "strike", "burn", "move"],
};
