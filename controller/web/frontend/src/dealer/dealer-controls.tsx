// What the dealer works with: seats, the pad for amounts, the bar below the felt.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { bettorName } from "../i18n/sentences";
import type { Act } from "../server/http";
import { Sheet } from "../shared/dialog";
import { RankPad } from "../shared/rank-pad";
import type { Commands } from "../shared/use-commands";
import type { Prompt, TableView } from "../view";
import {
  type Amount,
  type AmountKind,
  bettorsOf,
  isSame,
  paidBettors,
  type Selection,
  seatsOf,
  useAmount,
} from "./bets";
import { BottomBar } from "./bottom-bar";
import type { DealerScreen } from "./use-dealer";

interface SeatListProps {
  view: TableView;
  selection: Selection;
  onChoose: (selection: Selection) => void;
}

/** One key for each bettor of the box with what lies there; the chosen one gets the chips. */
function SeatList({ view, selection, onChoose }: SeatListProps) {
  const i18n = useI18n();
  const { box } = selection;
  const lying = view.boxes.find((one) => one.box === box)?.seats ?? [];
  return (
    <fieldset class="seats flex gap-8 edge rounded" aria-label={i18n.text("ui.seats", { box })}>
      {seatsOf(box, view).map((seat) => {
        const stake = lying.find((one) => one.seat === seat)?.stake;
        return (
          <button
            key={seat}
            type="button"
            class={
              seat === selection.seat
                ? "seat on row centred size-19 weight-650 ground-2 edge-key round-10"
                : "seat row centred size-19 weight-650 ground-2 edge-key round-10"
            }
            data-seat={seat}
            aria-pressed={seat === selection.seat}
            onClick={() => onChoose({ box, seat })}
          >
            <span>{seat === 0 ? i18n.text("ui.holder") : i18n.text("ui.seat_behind", { seat })}</span>
            <b>{stake === undefined ? "–" : i18n.money(stake)}</b>
          </button>
        );
      })}
    </fieldset>
  );
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "."] as const;

interface AmountPadProps {
  view: TableView;
  kind: AmountKind;
  /** Whom the amount is for at first; null for the first box. */
  start: Selection | null;
  off: boolean;
  onAct: (act: Act) => void;
  onCall: () => void;
  onClose: () => void;
}

/** Setting an amount goes on to the next box, so seven are typed in a row. */
function AmountPad({ view, kind, start, off, onAct, onCall, onClose }: AmountPadProps) {
  const i18n = useI18n();
  const bettors = bettorsOf(view, kind);
  const amount = useAmount(bettors, start);
  const set = (): void => {
    // A second tap on Set finds nothing typed: it must not pass a box over.
    if (amount.typed === "" || off) return;
    onAct({ do: kind, ...amount.at, amount: amount.typed.replace(/\.$/, "") });
    amount.step(1);
  };
  usePadKeys((key) => pressed(key, amount, set, onClose));
  return (
    <Sheet
      title={i18n.text(`ui.amount_${kind}`, { box: bettorName(amount.at) })}
      keys={i18n.text("ui.amount_keys")}
      amount={kind}
      onClose={onClose}
      onCall={onCall}
    >
      <div class="amount">
        <Bettors bettors={bettors} at={amount.at} onChoose={amount.choose} />
        <output class="grid weight-800 round-10" aria-live="polite">
          {amount.typed === "" ? "–" : amount.typed}
        </output>
        <Digits kind={kind} amount={amount} off={off} onSet={set} />
      </div>
    </Sheet>
  );
}

interface BettorsProps {
  bettors: readonly Selection[];
  at: Selection;
  onChoose: (bettor: Selection) => void;
}

function Bettors({ bettors, at, onChoose }: BettorsProps) {
  return (
    <div class="bettors flex wrap gap-8">
      {bettors.map((bettor) => (
        <button
          key={bettorName(bettor)}
          type="button"
          class={
            isSame(bettor, at)
              ? "seat on row centred size-19 weight-650 ground-2 edge-key round-10"
              : "seat row centred size-19 weight-650 ground-2 edge-key round-10"
          }
          data-bettor={bettorName(bettor)}
          aria-pressed={isSame(bettor, at)}
          onClick={() => onChoose(bettor)}
        >
          {bettorName(bettor)}
        </button>
      ))}
    </div>
  );
}

interface DigitsProps {
  kind: AmountKind;
  amount: Amount;
  off: boolean;
  onSet: () => void;
}

function Digits({ kind, amount, off, onSet }: DigitsProps) {
  const i18n = useI18n();
  return (
    <fieldset class="digits grid gap-8 across" disabled={off}>
      {DIGITS.map((digit) => (
        <button
          key={digit}
          type="button"
          class="rank-key"
          data-digit={digit}
          onClick={() => amount.type(digit)}
        >
          {digit}
        </button>
      ))}
      <button
        type="button"
        class="rank-key other"
        data-digit="back"
        aria-label={i18n.text("ui.backspace")}
        onClick={amount.back}
      >
        ⌫
      </button>
      <button type="button" class="rank-key other set size-20" data-digit="set" onClick={onSet}>
        {i18n.text(kind === "given" ? "ui.amount_paid" : "ui.amount_set")} ↵
      </button>
    </fieldset>
  );
}

function pressed(key: string, amount: Amount, set: () => void, close: () => void): boolean {
  if (/^[0-9]$/.test(key)) amount.type(key);
  else if (key === "." || key === ",") amount.type(".");
  else if (key === "Backspace") amount.back();
  else if (key === "ArrowRight") amount.step(1);
  else if (key === "ArrowLeft") amount.step(-1);
  else if (key === "Enter") set();
  else if (key === "Escape") close();
  else return false;
  return true;
}

/** The pad's keys go before those of the page while it is open. */
function usePadKeys(press: (key: string) => boolean): void {
  const latest = useRef(press);
  latest.current = press;
  // With the pad, not after it is painted: a digit typed at once would else bet on the box of its number.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inPad = event.target instanceof Element && event.target.closest(".sheet button") !== null;
      if (inPad && (event.key === "Enter" || event.key === " ")) return;
      if (!latest.current(event.key)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", listen, { capture: true });
    return () => removeEventListener("keydown", listen, { capture: true });
  }, []);
}

interface DealerControlsProps {
  view: TableView;
  screen: DealerScreen;
  off: boolean;
  commands: Commands;
}

/** The bettor at the box of the line to whom something is still to be paid. */
const paidFirst = (view: TableView, { box: number }: Prompt): Selection | null =>
  view.boxes.filter(({ box }) => box === number).flatMap(paidBettors)[0] ?? null;

/** A pad lies over the bar: nothing else is asked until it is answered or closed. */
export function DealerControls({ view, screen, off, commands }: DealerControlsProps) {
  const { bar, pad, pad_opens: opensItself, amount_for: kind } = screen.prompt;
  const { bets } = screen;
  return (
    <>
      <BottomBar bar={bar} kinds={view.chips} off={off} sent={commands.sent} bets={bets} onKey={screen.onKey}>
        {bets.selection && view.felt.back_bets !== 0 && (
          <SeatList view={view} selection={bets.selection} onChoose={bets.choose} />
        )}
      </BottomBar>
      {kind && bets.typing && (
        <AmountPad
          // At each box that is paid it begins anew, with whom the line names.
          key={kind === "given" ? screen.prompt.box : kind}
          view={view}
          kind={kind}
          start={kind === "given" ? paidFirst(view, screen.prompt) : bets.selection}
          off={off}
          onAct={(act) => void commands.run("AMOUNT", [act])}
          onCall={commands.callPit}
          onClose={() => bets.type(false)}
        />
      )}
      {pad && screen.padOpen && (
        <RankPad
          pad={pad}
          off={off}
          onAct={screen.onPad}
          onCall={commands.callPit}
          onClose={opensItself ? null : screen.closePad}
        />
      )}
    </>
  );
}
