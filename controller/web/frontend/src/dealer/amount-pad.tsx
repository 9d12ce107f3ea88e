// An amount by digits: the stake of one box after the other, or an insurance of less than half.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import { bettorName } from "../shared/bettor-name";
import { Sheet } from "../shared/sheet";
import type { TableView } from "../view";
import { type Amount, type AmountKind, bettorsOf, isSame, useAmount } from "./amount";
import type { Selection } from "./selection";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "."] as const;

interface Props {
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
export function AmountPad({ view, kind, start, off, onAct, onCall, onClose }: Props) {
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
