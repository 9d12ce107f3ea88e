// What every ruling has: choices and reasons, signatures, a preview, a guard against a table that has moved.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { handLabel } from "../felt/hands";
import { type I18n, useI18n } from "../i18n/i18n";
import { cardSign } from "../i18n/sentences";
import { preview as askPreview, askUntilAnswered, type Observation } from "../server/http";
import { Dialog } from "../shared/dialog";
import { PlainKey } from "../shared/keys";
import { SignInForm } from "../shared/sign-in-form";
import type { Commands } from "../shared/use-commands";
import type { HandRow, HandView, HiddenCard, OpenCard, Preview, SignInAnswer, TableView } from "../view";

interface Choice<T> {
  value: T;
  label: string;
  /** What tests and style sheets know it by. */
  name?: string;
}

interface ChoicesProps<T> {
  /** What is chosen, for a reader. */
  legend: string;
  choices: readonly Choice<T>[];
  chosen: T | undefined;
  onChoose: (value: T) => void;
}

/** A group of radio buttons; `chosen` undefined where nothing is yet. */
export function Choices<T>({ legend, choices, chosen, onChoose }: ChoicesProps<T>) {
  const group = useId();
  return (
    <fieldset class="choices grid gap-8">
      <legend class="hidden-text">{legend}</legend>
      {choices.map(({ value, label, name }) => (
        <label class="row centred within edge-key round-10" key={label} data-reason={name}>
          <input type="radio" name={group} checked={value === chosen} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** Why a card, a box or a round is ruled on. */
export const RULING_REASONS = ["MISREAD", "DEALER_ERROR", "CARD_EXPOSED", "OTHER"] as const;
/** Why a device is locked, unlocked or cleared, or a camera calibrated anew or given another deck. */
export const ORDER_REASONS = ["CARD_STUCK", "SHOE_CHANGE", "BUMPED", "NEW_DECK", "SERVICE", "OTHER"] as const;

/** How an alert was resolved. */
export const ALERT_REASONS = ["CHECKED", "MENDED", "FALSE_ALARM", "OTHER"] as const;

export type AlertReason = (typeof ALERT_REASONS)[number];
/** A table that the pit has stopped itself goes on for a reason of an alert. */
export type RulingReason = (typeof RULING_REASONS)[number] | AlertReason;
export type OrderReason = (typeof ORDER_REASONS)[number];

interface ReasonsProps<T extends string> {
  reasons: readonly T[];
  chosen: T | null;
  onChoose: (reason: T) => void;
}

/** The reasons of a dialog, none of them chosen beforehand. */
export function Reasons<T extends RulingReason | OrderReason | AlertReason>({
  reasons,
  chosen,
  onChoose,
}: ReasonsProps<T>) {
  const i18n = useI18n();
  const choices = reasons.map((reason) => ({
    value: reason,
    label: i18n.text(`reason.${reason}`),
    name: reason,
  }));
  return (
    <Choices
      legend={i18n.text("ui.reason")}
      choices={choices}
      chosen={chosen ?? undefined}
      onChoose={onChoose}
    />
  );
}

/** Who signs with the person of a dialog, as far as that is known. */
interface SecondSignature {
  /** The server wants another person for this act. */
  needed: boolean;
  /** The id of whoever has signed. */
  person: string | null;
  sign: (answer: SignInAnswer) => void;
}

/** Of the dialog that is open. */
export const SecondContext = createContext<SecondSignature>({
  needed: false,
  person: null,
  sign: () => undefined,
});

/** What the server refuses where another person has to sign: by the house's list, or by the stop itself. */
const SECOND_ASKED = ["refused.SECOND_FOR_ACT", "refused.SECOND_NEEDED"];

/** What is below has a second person of its own: a signature ends with its form and is good for one try. */
export function WithSecond({ commands, children }: { commands: Commands; children: ComponentChildren }) {
  const { refusal, setSecond } = commands;
  const [needed, setNeeded] = useState(false);
  const [person, setPerson] = useState<string | null>(null);
  useEffect(() => {
    if (SECOND_ASKED.includes(refusal?.code ?? "")) setNeeded(true);
    if (refusal) setPerson(null);
  }, [refusal]);
  const sign = ({ person: second, grant }: SignInAnswer): void => {
    setSecond(grant);
    setPerson(second.id);
  };
  return <SecondContext.Provider value={{ needed, person, sign }}>{children}</SecondContext.Provider>;
}

/** Asks the second person for id and PIN, or says who it is; it takes the focus only where the server has asked. */
export function SecondSigns() {
  const i18n = useI18n();
  const { needed, person, sign } = useContext(SecondContext);
  if (person !== null) {
    return (
      <p class="second-signed" role="status">
        {i18n.text("ui.second_signs", { name: person })}
      </p>
    );
  }
  return (
    <section class="second-signs" aria-label={i18n.text("ui.second")}>
      <h3>{i18n.text("ui.second")}</h3>
      <SignInForm main={{ at: "second", text: i18n.text("ui.second_sign") }} last={!needed} onDone={sign} />
    </section>
  );
}

/** A ruling's reason and second person as far as they are given. */
export interface Signature {
  two: boolean;
  reason: RulingReason | null;
  ready: boolean;
  setReason: (reason: RulingReason) => void;
  /** The fact with its reason; a payout has no place for one, its entry says who entered it. */
  sign: (fact: Observation) => Observation;
}

/** The signature of whoever rules; with `two` another person has to sign, too. */
export function useSignature(two: boolean): Signature {
  const [reason, setReason] = useState<RulingReason | null>(null);
  const { person, needed } = useContext(SecondContext);
  const ready = reason !== null && (!(two || needed) || person !== null);
  const sign = (fact: Observation): Observation =>
    isRuling(fact) && reason !== null ? { ...fact, reason } : fact;
  return { two, reason, ready, setReason, sign };
}

const isRuling = (fact: Observation): fact is Extract<Observation, { reason: string }> => "reason" in fact;

interface SignatureProps {
  signature: Signature;
  by?: string;
  /** The pit lets a table go on that it has stopped itself: no card was wrong. */
  released?: boolean;
}

/** The reasons, who signs, and the fields for the second person where one is needed. */
export function Sign({ signature, by, released = false }: SignatureProps) {
  const i18n = useI18n();
  const { needed } = useContext(SecondContext);
  return (
    <>
      <h3>{i18n.text("ui.reason")}</h3>
      <Reasons
        reasons={released ? ALERT_REASONS : RULING_REASONS}
        chosen={signature.reason}
        onChoose={signature.setReason}
      />
      {by && (
        <p class="first-signs">
          <b>{by}</b> {i18n.text("ui.signed_in")} ✓
        </p>
      )}
      {signature.two && !needed && <SecondSigns />}
    </>
  );
}

/** The ruling stands inside the alert that it answers, whose keys choose and leave it. */
export const InAlert = createContext(false);

/** What a dialog is given that ends in one fact: who acts, and the table that he sees. */
export interface FactProps {
  actor: string;
  view: TableView;
  off: boolean;
  /** `seq` is the table that the person has confirmed, with what a preview worked out on it. */
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

interface ActDialogProps {
  title: string;
  size: "small" | "medium" | "wide";
  /** Whether "apply" may be pressed. */
  ready: boolean;
  /** What "apply" is called here. */
  applyText?: string;
  onApply: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

/** What ends in a ruling or in none. */
export function ActDialog({ title, size, ready, applyText, onApply, onCancel, children }: ActDialogProps) {
  const i18n = useI18n();
  const second = useContext(SecondContext);
  const inAlert = useContext(InAlert);
  const apply = (
    <button
      type="button"
      class={inAlert ? "key-small main" : "plain main"}
      data-key="APPLY"
      disabled={!ready || (second.needed && second.person === null)}
      onClick={onApply}
    >
      {applyText ?? i18n.text(inAlert ? "ui.sign_ruling" : "ui.apply")}
    </button>
  );
  if (inAlert) {
    return (
      <section class="ruling grid gap-8" aria-label={title}>
        {children}
        {second.needed && <SecondSigns />}
        {apply}
      </section>
    );
  }
  return (
    <Dialog title={title} size={size} onCancel={onCancel}>
      {children}
      {second.needed && <SecondSigns />}
      <div class="dialog-keys">
        <PlainKey onClick={onCancel}>{i18n.text("ui.cancel")}</PlainKey>
        {apply}
      </div>
    </Dialog>
  );
}

interface PreviewTableProps {
  preview: Preview | null;
  /** What has to be chosen first. */
  ask?: string;
}

/** A row for each hand, stake and bettor that changes, for the others together, and for the house. */
export function PreviewTable({ preview, ask }: PreviewTableProps) {
  const i18n = useI18n();
  if (!preview) return <p class="quiet">{ask ?? i18n.text("ui.choose_rank")}</p>;
  const { problem, disputes, hands, stakes, money, untouched, house } = preview;
  const bettor = (key: string, { box, seat }: { box: number; seat: number }): string =>
    i18n.text(seat === 0 ? key : `${key}_seat`, { box, seat });
  // Once there is money, a hand that only comes out otherwise is told by its bettors.
  const shown = hands.filter((row) => house.length === 0 || cardsChange(row));
  return (
    <>
      {problem && (
        <p class="problem">
          {disputes && `${i18n.text("ui.would_dispute")} `}
          {i18n.say(problem)}
        </p>
      )}
      <table class="preview whole-width size-18">
        <thead>
          <tr>
            <th />
            <th class="amount">{i18n.text("ui.before")}</th>
            <th class="amount">{i18n.text("ui.after")}</th>
            <th class="amount">{i18n.text("ui.change")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <HandLine key={`${row.box}.${row.hand}`} row={row} />
          ))}
          {stakes.map((row) => (
            <Row
              key={`stake ${row.box}.${row.seat}`}
              name={{ "data-stake": `${row.box}.${row.seat}` }}
              title={bettor("ui.staked", row)}
              cells={[row.before, row.after, row.change]}
            />
          ))}
          {money.map((row) => (
            <Row
              key={`${row.box}.${row.seat}`}
              name={{ "data-money": `${row.box}.${row.seat}` }}
              title={bettor("ui.net", row)}
              cells={[row.before.money, row.after.money, row.change.money]}
            />
          ))}
          {untouched && (
            <tr class="untouched">
              <th>{i18n.text("ui.untouched", { boxes: untouched.boxes.join(" ") })}</th>
              <td class="amount">{i18n.money(untouched.sum.money)}</td>
              <td class="amount">{i18n.money(untouched.sum.money)}</td>
              <td />
            </tr>
          )}
        </tbody>
        <tfoot>
          {house.map((row) => (
            <Row
              key={row.text.code}
              name={{ "data-house": row.text.code }}
              title={i18n.say(row.text)}
              cells={[row.before.money, row.after.money, preview.house_change.money]}
            />
          ))}
        </tfoot>
      </table>
      {!problem && house.length === 0 && (
        <p class="before-settlement weight-650 round-10">{i18n.text("ui.before_settlement")}</p>
      )}
    </>
  );
}

interface RowProps {
  name: Record<string, string>;
  title: string;
  /** Before, after, change. */
  cells: readonly [string, string, string];
}

/** What was is struck through where it changes. */
function Row({ name, title, cells: [before, after, change] }: RowProps) {
  const i18n = useI18n();
  const same = before === after;
  return (
    <tr {...name}>
      <th>{title}</th>
      <td class="amount">{same ? i18n.money(before) : <s class="soft">{i18n.money(before)}</s>}</td>
      <td class={same ? "amount" : "amount new"}>{i18n.money(after)}</td>
      <td class="amount">{i18n.money(change)}</td>
    </tr>
  );
}

/** The ranks of a hand in a row; a face-down card is a block, an unread one a question mark. */
function ranks(cards: readonly (HiddenCard | OpenCard)[]): string {
  return cards.map((card) => ("hidden" in card ? "▮" : (card.rank ?? "?"))).join(" ");
}

const signs = (cards: HandRow["before"]): string =>
  cards.map((card) => ("hidden" in card ? "▮" : cardSign(card))).join(" ");

const cardsChange = ({ before, after }: HandRow): boolean => signs(before) !== signs(after);

function HandLine({ row }: { row: HandRow }) {
  const i18n = useI18n();
  const name =
    row.box === 0 ? i18n.text("ui.dealer") : i18n.text("ui.box_hand", { box: row.box, hand: row.hand });
  const shape = { hand: row.hand, blackjack: false, doubled: false, active: false, cards: row.before };
  const before = handLabel({ ...shape, total: row.total_before, outcome: row.outcome_before }, i18n);
  const after = handLabel({ ...shape, total: row.total_after, outcome: row.outcome_after }, i18n);
  return (
    <tr data-preview={`${row.box}.${row.hand}`}>
      <th>{name}</th>
      <td class="hands" colSpan={3}>
        {signs(row.before)} <b>{before}</b> →{" "}
        <span class="new">
          {signs(row.after)} <b>{after}</b>
        </span>
      </td>
    </tr>
  );
}

/** Guards a ruling against a table that has moved under it. */
interface StaleGuard {
  /** The table as it was last confirmed by the person. */
  seen: TableView;
  moved: boolean;
  confirm: () => void;
}

/** Holds the table of the moment in which the dialog opened, until the person confirms a newer one. */
export function useStaleGuard(view: TableView): StaleGuard {
  const [seen, setSeen] = useState(view);
  return { seen, moved: seen.seq !== view.seq, confirm: () => setSeen(view) };
}

interface StaleGuardProps {
  guard: StaleGuard;
  view: TableView;
  by: string;
  off: boolean;
}

/** Says that the table has moved and what has changed, and asks for the signature again. */
export function TableMoved({ guard, view, by, off }: StaleGuardProps) {
  const i18n = useI18n();
  if (!guard.moved) return null;
  const changes = changedHands(guard.seen, view, i18n);
  return (
    <div class="moved stack gap-10 round-12" role="alert">
      <p class="problem">{i18n.text("ui.table_moved", { was: guard.seen.seq, now: view.seq })}</p>
      <ul class="scroll-y size-18">
        {changes.map(([place, change]) => (
          <li key={place} data-moved={place}>
            {change}
          </li>
        ))}
        {changes.length === 0 && <li>{i18n.text("ui.no_hand_changed")}</li>}
      </ul>
      <PlainKey data-key="SIGN_AGAIN" disabled={off} onClick={guard.confirm}>
        {i18n.text("ui.sign_again", { by })}
      </PlainKey>
    </div>
  );
}

function changedHands(was: TableView, now: TableView, i18n: I18n): [string, string][] {
  const old = looks(was, i18n);
  const present = looks(now, i18n);
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((place): [string, string][] => {
    const [before, after] = [old.get(place), present.get(place)];
    const name = before?.name ?? after?.name ?? place;
    return before?.look === after?.look
      ? []
      : [[place, `${name}: ${before?.look ?? "–"} → ${after?.look ?? "–"}`]];
  });
}

interface Look {
  name: string;
  look: string;
}

/** Every hand as the pit reads it: cards, then total or result; the dealer's is place "0.1". */
function looks(view: TableView, i18n: I18n): Map<string, Look> {
  const seen = new Map<string, Look>();
  for (const { box, hands } of view.boxes) {
    for (const hand of hands) {
      seen.set(`${box}.${hand.hand}`, {
        name: i18n.text("ui.box_hand", { box, hand: hand.hand }),
        look: look(hand, i18n),
      });
    }
  }
  const { cards, total } = view.dealer;
  seen.set("0.1", { name: i18n.text("ui.dealer"), look: `${ranks(cards)} ${total ?? ""}`.trim() });
  return seen;
}

function look(hand: HandView, i18n: I18n): string {
  return `${ranks(hand.cards)} ${handLabel(hand, i18n)}`.trim();
}

/** What a ruling is tried out with: no reason moves a card or money. */
export const ANY_REASON = "OTHER";

/** The preview of facts on one round, null until it comes; asked for again when a fact or the table changes. */
export function usePreview(facts: readonly Observation[], seq: number): Preview | null {
  const asked = facts.length > 0 ? JSON.stringify({ facts, seq }) : null;
  const latest = useRef(facts);
  latest.current = facts;
  const [answer, setAnswer] = useState<{ asked: string; preview: Preview } | null>(null);
  useEffect(() => {
    const fact = latest.current.at(-1);
    if (!asked || !fact) return undefined;
    const first = latest.current.slice(0, -1);
    return askUntilAnswered(
      () => askPreview(fact, first),
      (preview) => setAnswer({ asked, preview }),
    );
  }, [asked]);
  // Never the preview of another choice, not even for the moment until the next one is asked for.
  return answer?.asked === asked ? answer.preview : null;
}

/** What a dialog knows of the ruling that is chosen in it. */
interface Ruling {
  guard: StaleGuard;
  preview: Preview | null;
  /** The preview is of this choice and of the table that was seen, and the rules take it, be it with a dispute. */
  sound: boolean;
  /** Nothing may be confirmed yet: the page is not live, or the preview is on its way. */
  waits: boolean;
}

/** Tries `trial` out on the server, after the rulings in `first`; null where what is chosen changes nothing at the table. */
export function useRuling(
  trial: Observation | null,
  view: TableView,
  off: boolean,
  first: readonly Observation[] = [],
): Ruling {
  const guard = useStaleGuard(view);
  const preview = usePreview(trial ? [...first, trial] : [], view.seq);
  const taken = preview !== null && (preview.disputes || preview.problem === null);
  const fits = trial === null || (taken && preview.seq === guard.seen.seq);
  return {
    guard,
    preview,
    sound: fits && !guard.moved && !off,
    waits: off || (trial !== null && preview?.seq !== view.seq),
  };
}

interface BeforeAndAfterProps {
  ruling: Ruling;
  view: TableView;
  by: string;
  children: ComponentChildren;
}

/** The heading, the question to sign again where the table has moved, and what is changed. */
export function BeforeAndAfter({ ruling, view, by, children }: BeforeAndAfterProps) {
  const i18n = useI18n();
  return (
    <div>
      <h3>{i18n.text("ui.before_and_after")}</h3>
      <TableMoved guard={ruling.guard} view={view} by={by} off={ruling.waits} />
      {children}
    </div>
  );
}
