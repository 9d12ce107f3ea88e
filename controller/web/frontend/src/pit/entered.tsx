// The forms of what was entered: card, bet, decision, payout, insurance, hands of two boxes.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { decimals, digitsOf, minorUnits, useI18n } from "../i18n/i18n";
import { cardPlace, placeName } from "../i18n/sentences";
import type { Observation } from "../server/http";
import { PlainKey } from "../shared/keys";
import type { DecisionRow, HandPlace, SeatFacts, StrikeObservation, TableView } from "../view";
import { ACTIONS, assertNever, type Rank, type Suit } from "../vocabulary";
import { AnyCard, type Choice, chosenOf } from "./camera-doubt";
import { ANY_REASON, Choices } from "./ruling";
import { boxFacts, roundOf, type Subject, type TruthProps } from "./ways";

/** Hands over `fact` when it is another than before, or null while nothing can be tried. */
function useTrial(fact: Observation | null, onTrial: (fact: Observation | null) => void): void {
  const latest = useRef(onTrial);
  latest.current = onTrial;
  const trial = JSON.stringify(fact);
  useEffect(() => latest.current(JSON.parse(trial) as Observation | null), [trial]);
}

interface TextFieldProps {
  name: string;
  inputMode?: "decimal";
  maxLength: number;
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Why what stands in it cannot be taken. */
  problem?: string | false;
}

/** One line with its label; nothing is proposed from what was typed before. */
export function TextField({ label, onValue, problem = false, ...input }: TextFieldProps) {
  return (
    <label>
      {label}
      <input
        autocomplete="off"
        aria-invalid={problem !== false}
        {...input}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {problem && <span class="problem">{problem}</span>}
    </label>
  );
}

type AmountFieldProps = Pick<TextFieldProps, "label" | "value" | "onValue"> & { name?: string };

/** A text field that says when what stands in it is no amount. */
export function AmountField({ name = "amount", ...field }: AmountFieldProps) {
  const i18n = useI18n();
  const bad = field.value.trim() !== "" && minorUnits(field.value) === null;
  const problem = bad && i18n.text("ui.amount_bad");
  return <TextField name={name} inputMode="decimal" maxLength={12} problem={problem} {...field} />;
}

interface BettorsProps {
  seats: readonly SeatFacts[];
  /** Seats that may be named although nobody is known to bet there. */
  free?: readonly number[];
  chosen: number;
  onChoose: (seat: number) => void;
}

/** A choice of bettors; nothing where there is only one. */
function Bettors({ seats, free = [], chosen, onChoose }: BettorsProps) {
  const i18n = useI18n();
  const numbers = [...new Set([...seats.map((one) => one.seat), ...free])].sort((one, other) => one - other);
  if (numbers.length < 2) return null;
  const choices = numbers.map((seat) => ({
    value: seat,
    label: i18n.text(seat === 0 ? "ui.holder" : "ui.seat_behind", { seat }),
    name: `seat-${seat}`,
  }));
  return <Choices legend={i18n.text("ui.whose")} choices={choices} chosen={chosen} onChoose={onChoose} />;
}

const KINDS = ["extra", "double_read", "boxed", "defective", "foreign"] as const;
type StruckKind = NonNullable<StrikeObservation["as"]>;

interface StruckAsProps {
  chosen: StruckKind | undefined;
  onChoose: (kind: StruckKind | null) => void;
}

/** Its kinds as the trade names them; "not said" is the rule when nobody knows. */
function StruckAs({ chosen, onChoose }: StruckAsProps) {
  const i18n = useI18n();
  const choices = [null, ...KINDS].map((kind) => ({
    value: kind,
    label: i18n.text(`ui.struck_${kind ?? "unsaid"}`),
    name: kind ?? "unsaid",
  }));
  return (
    <Choices
      legend={i18n.text("ui.struck_as")}
      choices={choices}
      chosen={chosen ?? null}
      onChoose={onChoose}
    />
  );
}

/** What the card is in truth: another card, none of this round (burned or taken out), or of another hand. */
type Truth =
  | { is: "card"; rank: Rank; suit: Suit | null }
  | { is: "burn" | "strike"; as?: StruckKind }
  | { is: "place"; place: HandPlace };

/** The ruling that follows from it; null while nothing is chosen. */
function rulingOf(card: number, truth: Truth | null, by: string): Observation | null {
  const signed = { by, reason: ANY_REASON };
  switch (truth?.is) {
    case undefined:
      return null;
    case "card":
      return {
        obs: "correct",
        card,
        rank: truth.rank,
        ...(truth.suit ? { suit: truth.suit } : {}),
        ...signed,
      };
    case "burn":
    case "strike":
      return {
        obs: "strike",
        card,
        ...signed,
        burn: truth.is === "burn",
        ...(truth.as ? { as: truth.as } : {}),
      };
    case "place":
      return truth.place.box === 0
        ? { obs: "move", card, to: "dealer", ...signed }
        : { obs: "move", card, to: "box", ...truth.place, ...signed };
    default:
      return assertNever(truth);
  }
}

/** What the way or the answer that was pressed says already. */
function chosenBy({ way, rank }: Subject, recorded: Choice): Truth | null {
  if (rank) return { is: "card", rank, suit: recorded.suit };
  return way === "strike" || way === "burn" ? { is: way } : null;
}

/** The keys of one card: thirteen ranks and four suits, and behind a key of their own all that is no other card. */
export function CardTruth({ subject, facts, view, ways, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const card = subject.card ?? 0;
  const found = cardPlace(view, card);
  const recorded = chosenOf(found?.card ?? { rank: null, suit: null });
  const [truth, setTruth] = useState(chosenBy(subject, recorded));
  const may = (way: "correct" | "burn" | "strike" | "move"): boolean => ways === null || ways.has(way);
  const [elsewhere, setElsewhere] = useState(
    !may("correct") || (subject.way !== undefined && subject.way !== "correct"),
  );
  const fact = rulingOf(card, truth, by);
  useTrial(fact && { ...fact, ...roundOf(facts) }, onTrial);
  const choose = ({ rank, suit }: Choice): void => {
    const other = rank && (rank !== recorded.rank || suit !== recorded.suit);
    setTruth(other ? { is: "card", rank, suit } : null);
  };
  const outs = (["burn", "strike"] as const).filter(may);
  if (!elsewhere) {
    return (
      <AnyCard choice={truth?.is === "card" ? truth : recorded} recorded={recorded} onChoose={choose}>
        {(outs.length > 0 || may("move")) && (
          <button type="button" class="rank-key other" data-rank="none" onClick={() => setElsewhere(true)}>
            {i18n.text("ui.no_card_here")}
          </button>
        )}
      </AnyCard>
    );
  }
  const out = truth?.is === "burn" || truth?.is === "strike" ? truth : null;
  return (
    <>
      {!(subject.way && ways?.size === 1) && outs.length > 0 && (
        <Choices
          legend={i18n.text("ui.not_of_round")}
          choices={outs.map((value) => ({
            value,
            label: i18n.text(value === "burn" ? "key.STRIKE" : "key.STRIKE_OUT"),
            name: value,
          }))}
          chosen={out?.is}
          onChoose={(is) => setTruth({ is })}
        />
      )}
      {out && <StruckAs chosen={out.as} onChoose={(as) => setTruth({ is: out.is, ...(as ? { as } : {}) })} />}
      {may("move") && (
        <>
          <h3>{i18n.text("ui.belongs_to")}</h3>
          <Choices
            legend={i18n.text("ui.belongs_to")}
            choices={placesOf(view).map(({ split, ...place }) => ({
              value: `${place.box}.${place.hand}`,
              label: placeName({ ...place, split }, i18n),
              name: `to-${place.box}.${place.hand}`,
            }))}
            chosen={truth?.is === "place" ? `${truth.place.box}.${truth.place.hand}` : undefined}
            onChoose={(name) => {
              const [box = 0, hand = 1] = name.split(".").map(Number);
              setTruth({ is: "place", place: { box, hand } });
            }}
          />
        </>
      )}
      {may("correct") && (
        <PlainKey data-rank="back" onClick={() => setElsewhere(false)}>
          ‹ {i18n.text("ui.rank_and_suit")}
        </PlainKey>
      )}
    </>
  );
}

/** The dealer, then every hand in play. */
const placesOf = ({ boxes }: TableView): (HandPlace & { split: boolean })[] => [
  { box: 0, hand: 1, split: false },
  ...boxes
    .filter(({ stake }) => stake !== null)
    .flatMap(({ box, hands }) =>
      hands.length === 0
        ? [{ box, hand: 1, split: false }]
        : hands.map(({ hand }) => ({ box, hand, split: hands.length > 1 })),
    ),
];

/** The look said the opposite. */
export function PeekTruth({ facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const blackjack = facts.peek !== true;
  useTrial({ obs: "amend", what: "peek", blackjack, by, reason: ANY_REASON, ...roundOf(facts) }, onTrial);
  const name = (yes: boolean): string => i18n.text(yes ? "key.BLACKJACK" : "key.NO_BLACKJACK");
  return <p class="quiet">{i18n.text("ui.true_peek", { told: name(!blackjack), truth: name(blackjack) })}</p>;
}

/** The card was not turned, or not then. */
export function RevealTruth({ facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  useTrial({ obs: "amend", what: "reveal", by, reason: ANY_REASON, ...roundOf(facts) }, onTrial);
  return <p class="quiet">{i18n.text("ui.true_reveal")}</p>;
}

type Made = (typeof ACTIONS)[number] | "never";

/** Lists what the hand decided, the last one chosen beforehand, and asks what it was in truth. */
export function DecisionTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const hands = boxFacts({ subject, facts }).hands.filter((one) => one.decisions.length > 0);
  const [number, setNumber] = useState(subject.hand ?? hands[0]?.hand ?? 1);
  const hand = hands.find((one) => one.hand === number) ?? hands[0];
  const decisions = hand?.decisions ?? [];
  const [nth, setNth] = useState(decisions.at(-1)?.nth ?? 1);
  const [truth, setTruth] = useState<Made | null>(null);
  const entered = decisions.find((one) => one.nth === nth);
  const action = truth === "never" ? null : truth;
  useTrial(
    truth === null || !hand || !entered
      ? null
      : {
          obs: "amend",
          what: "decision",
          box: subject.box,
          hand: hand.hand,
          nth,
          action,
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        },
    onTrial,
  );
  const chooseHand = (next: number): void => {
    setNumber(next);
    setNth(hands.find((one) => one.hand === next)?.decisions.at(-1)?.nth ?? 1);
  };
  return (
    <>
      {hands.length > 1 && (
        <Choices
          legend={i18n.text("ui.which_hand")}
          choices={hands.map((one) => ({
            value: one.hand,
            label: i18n.text("ui.box_hand", { box: subject.box, hand: one.hand }),
          }))}
          chosen={hand?.hand}
          onChoose={chooseHand}
        />
      )}
      <Choices
        legend={i18n.text("ui.which_decision")}
        choices={decisions.map((one) => ({
          value: one.nth,
          label: decisionText(one, i18n),
          name: `nth-${one.nth}`,
        }))}
        chosen={nth}
        onChoose={setNth}
      />
      <h3>{i18n.text("ui.true_decision")}</h3>
      <Choices
        legend={i18n.text("ui.true_decision")}
        choices={[
          ...ACTIONS.filter((action) => action !== entered?.action).map((action) => ({
            value: action as Made,
            label: i18n.text(`key.${action.toUpperCase()}`),
            name: action,
          })),
          { value: "never" as Made, label: i18n.text("ui.never_made"), name: "never" },
        ]}
        chosen={truth ?? undefined}
        onChoose={setTruth}
      />
    </>
  );
}

/** "2. Stand (inferred)". */
function decisionText({ nth, action, known }: DecisionRow, i18n: ReturnType<typeof useI18n>): string {
  const name = action === null ? i18n.text("ui.never_made") : i18n.text(`key.${action.toUpperCase()}`);
  return `${nth}. ${name} (${i18n.text(`ui.known_${known}`)})`;
}

const ANSWERS = ["none", "amount", "even_money"] as const;
type Answer = (typeof ANSWERS)[number];

/** Asks whose answer it was, and which: none, so much, or even money. */
export function InsuranceTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [typed, setTyped] = useState("");
  const entered = seats.find((one) => one.seat === seat);
  const stake = answer === "none" ? 0 : minorUnits(typed);
  const trial = (): Observation | null => {
    const place = { box: subject.box, seat, by, reason: ANY_REASON, ...roundOf(facts) };
    if (answer === "even_money") return { obs: "amend", what: "even_money", taken: true, ...place };
    if (answer === "none" && entered?.even_money) {
      return { obs: "amend", what: "even_money", taken: false, ...place };
    }
    if (answer === null || stake === null) return null;
    return { obs: "amend", what: "insurance", stake, ...place };
  };
  useTrial(trial(), onTrial);
  return (
    <>
      <Bettors seats={seats} chosen={seat} onChoose={setSeat} />
      <p class="quiet">
        {entered?.even_money
          ? i18n.text("ui.entered_even_money")
          : i18n.text("ui.entered_insurance", { amount: { money: entered?.insurance ?? "0.00" } })}
      </p>
      <Choices
        legend={i18n.text("ui.true_answer")}
        choices={ANSWERS.map((one) => ({ value: one, label: i18n.text(`ui.answer_${one}`), name: one }))}
        chosen={answer ?? undefined}
        onChoose={setAnswer}
      />
      {answer === "amount" && (
        <AmountField label={i18n.text("ui.true_insurance")} value={typed} onValue={setTyped} />
      )}
    </>
  );
}

/** Shows what is due and what was entered, and asks for the truth; what is due stands there beforehand. */
export function PaidTruth({ subject, facts, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const entered = seats.find((one) => one.seat === seat);
  const [typed, setTyped] = useState(entered?.due ?? "");
  const amount = minorUnits(typed);
  const same = entered?.paid != null && amount === minorUnits(entered.paid);
  useTrial(
    amount === null || same ? null : { obs: "paid", box: subject.box, seat, amount, round: facts.round },
    onTrial,
  );
  const choose = (next: number): void => {
    setSeat(next);
    setTyped(seats.find((one) => one.seat === next)?.due ?? "");
  };
  return (
    <>
      <Bettors seats={seats} chosen={seat} onChoose={choose} />
      <p class="quiet">
        {i18n.text("ui.due", { amount: { money: entered?.due ?? "0.00" } })}
        {" · "}
        {entered?.paid
          ? i18n.text("ui.entered_paid", { amount: { money: entered.paid } })
          : i18n.text("ui.entered_nothing_paid")}
        {entered?.how && ` (${i18n.text(`ui.paid_${entered.how}`)})`}
      </p>
      <AmountField label={i18n.text("ui.true_paid")} value={typed} onValue={setTyped} />
    </>
  );
}

/** Asks whose stake it was and how much; 0 is none. One more bettor than was entered may be named. */
export function StakeTruth({ subject, facts, view, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const [typed, setTyped] = useState("");
  const entered = seats.find((one) => one.seat === seat);
  const stake = minorUnits(typed);
  useTrial(
    stake === null
      ? null
      : {
          obs: "amend",
          what: "stake",
          box: subject.box,
          seat,
          stake,
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        },
    onTrial,
  );
  const behind = Math.max(-1, ...seats.map((one) => one.seat)) + 1;
  return (
    <>
      <Bettors seats={seats} free={[0, behind]} chosen={seat} onChoose={setSeat} />
      <p class="quiet">{i18n.text("ui.entered_stake", { amount: { money: entered?.stake ?? "0.00" } })}</p>
      <div class="chip-keys grid gap-6">
        {view.chips.map(({ value }) => (
          <button
            class="press weight-700 round-10"
            key={value}
            type="button"
            data-chip={value}
            onClick={() => setTyped(decimals((stake ?? 0) + (minorUnits(value) ?? 0), digitsOf(value)))}
          >
            + {i18n.chips(value)}
          </button>
        ))}
      </div>
      <AmountField label={i18n.text("ui.true_stake")} value={typed} onValue={setTyped} />
    </>
  );
}

/** Asks with which hand; the bets and decisions stay where they are. */
export function SwapTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const own = subject.hand ?? boxFacts({ subject, facts }).hands[0]?.hand ?? 1;
  const [other, setOther] = useState<string | null>(null);
  const hands = facts.boxes.flatMap(({ box, hands: held }) =>
    held.map(({ hand }) => ({ box, hand, name: `${box}.${hand}` })),
  );
  const others = hands.filter((one) => one.box !== subject.box || one.hand !== own);
  const found = others.find((one) => one.name === other);
  useTrial(
    found
      ? {
          obs: "swap",
          from: { box: subject.box, hand: own },
          with: { box: found.box, hand: found.hand },
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        }
      : null,
    onTrial,
  );
  return (
    <>
      <p class="quiet">{i18n.text("ui.swap_stays", { box: subject.box, hand: own })}</p>
      <Choices
        legend={i18n.text("ui.swap_with")}
        choices={others.map((one) => ({
          value: one.name,
          label: i18n.text("ui.box_hand", { box: one.box, hand: one.hand }),
          name: `hand-${one.name}`,
        }))}
        chosen={other ?? undefined}
        onChoose={setOther}
      />
    </>
  );
}

const GAP_PX = 10;

/** The smallest rectangle around all of these parts; null where none is drawn. */
function around(felt: HTMLElement, selector: string): DOMRect | null {
  const all = [...felt.querySelectorAll(selector)].map((part) => part.getBoundingClientRect());
  if (all.length === 0) return null;
  const left = Math.min(...all.map((one) => one.left));
  const top = Math.min(...all.map((one) => one.top));
  const right = Math.max(...all.map((one) => one.right));
  const bottom = Math.max(...all.map((one) => one.bottom));
  return new DOMRect(left, top, right - left, bottom - top);
}

const targetOf = ({ fact, card, box, hand }: Subject): string => {
  if (card) return `[data-card="${card}"]`;
  if (box < 1) return "[data-dealer]";
  return fact === "stake"
    ? `[data-box="${box}"]`
    : hand
      ? `[data-hand="${box}.${hand}"]`
      : `[data-hand^="${box}."]`;
};

/** The felt's element; its `.aim` frames the target, its `.beside-target` stands at the side with more room, at the foot. */
export function useBeside(subject: Subject | null): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const felt = ref.current;
    const form = felt?.querySelector<HTMLElement>(".beside-target");
    const aim = felt?.querySelector<HTMLElement>(".aim");
    if (!felt || !form || !aim || !subject) return undefined;
    const put = (): void => {
      const frame = felt.getBoundingClientRect();
      const target = around(felt, targetOf(subject));
      const own = around(
        felt,
        subject.box > 0
          ? `[data-box="${subject.box}"], [data-hand^="${subject.box}."]`
          : "[data-dealer] .card",
      );
      aim.hidden = target === null;
      if (!target || !own) return;
      Object.assign(aim.style, {
        left: `${target.left - frame.left - 5}px`,
        top: `${target.top - frame.top - 5}px`,
        width: `${target.width + 10}px`,
        height: `${target.height + 10}px`,
      });
      const [before, behind] = [own.left - frame.left, frame.right - own.right];
      const left = before >= behind ? before - GAP_PX - form.offsetWidth : own.right - frame.left + GAP_PX;
      form.style.setProperty("--left", `${Math.max(0, Math.min(left, frame.width - form.offsetWidth))}px`);
    };
    put();
    addEventListener("resize", put);
    return () => removeEventListener("resize", put);
  });
  return ref;
}
