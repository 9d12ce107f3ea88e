// An amount by digits: the stake of one box after the other, or an insurance of less than half.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import { useOpened } from "../shared/dialog";
import type { Prompt, TableView } from "../view";
import type { Selection } from "./selection";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "."] as const;
const DIGITS_MAX = 9;

interface Props {
  view: TableView;
  kind: NonNullable<Prompt["amount_for"]>;
  /** Whom the amount is for at first; null for the first box. */
  start: Selection | null;
  off: boolean;
  onAct: (act: Act) => void;
  onCall: () => void;
  onClose: () => void;
}

/** Beside the table like the pad of ranks. Setting an amount goes on to the next box, so seven are typed in a row. */
export function AmountPad({ view, kind, start, off, onAct, onCall, onClose }: Props) {
  const i18n = useI18n();
  const dialog = useOpened("beside");
  const heading = useId();
  const bettors = bettorsOf(view, kind);
  const [at, setAt] = useState<Selection>(start ?? bettors[0] ?? { box: 1, seat: 0 });
  const [typed, setTyped] = useState("");

  const type = (digit: string): void => {
    const decimals = typed.split(".")[1]?.length ?? 0;
    if (typed.length >= DIGITS_MAX || decimals >= 2 || (digit === "." && typed.includes("."))) return;
    setTyped(typed + digit);
  };
  const set = (): void => {
    if (typed !== "" && !off) onAct({ do: kind, ...at, amount: typed.replace(/\.$/, "") });
    choose(after(bettors, at));
  };
  const choose = (bettor: Selection): void => {
    setAt(bettor);
    setTyped("");
  };
  const press = (key: string): boolean => {
    if (/^[0-9]$/.test(key)) type(key);
    else if (key === "." || key === ",") type(".");
    else if (key === "Backspace") setTyped(typed.slice(0, -1));
    else if (key === "Enter") set();
    else if (key === "Escape") onClose();
    else return false;
    return true;
  };
  usePadKeys(press);

  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={heading} tabIndex={-1} data-amount={kind}>
      <header>
        <h2 id={heading}>{i18n.text(`ui.amount_${kind}`, { box: boxName(at) })}</h2>
        <span>{i18n.text("ui.amount_keys")}</span>
        <button type="button" class="plain" onClick={onClose}>
          {i18n.text("ui.close")}
        </button>
        <button type="button" class="plain call" onClick={onCall}>
          {i18n.text("key.CALL_PIT")}
        </button>
      </header>
      <div class="amount">
        <div class="bettors">
          {bettors.map((bettor) => (
            <button
              key={boxName(bettor)}
              type="button"
              class={isSame(bettor, at) ? "seat on" : "seat"}
              data-bettor={boxName(bettor)}
              aria-pressed={isSame(bettor, at)}
              onClick={() => choose(bettor)}
            >
              {boxName(bettor)}
            </button>
          ))}
        </div>
        <output aria-live="polite">{typed === "" ? "–" : typed}</output>
        <fieldset class="digits" disabled={off}>
          {DIGITS.map((digit) => (
            <button key={digit} type="button" class="rank-key" data-digit={digit} onClick={() => type(digit)}>
              {digit}
            </button>
          ))}
          <button
            type="button"
            class="rank-key other"
            data-digit="back"
            aria-label={i18n.text("ui.backspace")}
            onClick={() => setTyped(typed.slice(0, -1))}
          >
            ⌫
          </button>
          <button type="button" class="rank-key other set" data-digit="set" onClick={set}>
            {i18n.text("ui.amount_set")} ↵
          </button>
        </fieldset>
      </div>
    </dialog>
  );
}

const isSame = (one: Selection, other: Selection): boolean =>
  one.box === other.box && one.seat === other.seat;

/** "3", or "3 +1" for the first bettor behind. */
const boxName = ({ box, seat }: Selection): string => (seat === 0 ? String(box) : `${box} +${seat}`);

/** Everybody who can be given an amount: each box's holder for a stake, and whoever has bet. */
function bettorsOf(view: TableView, kind: Props["kind"]): Selection[] {
  return view.boxes.flatMap(({ box, seats }) => {
    const taken = seats.map(({ seat }) => ({ box, seat }));
    const holder = kind === "stake" && !seats.some(({ seat }) => seat === 0) ? [{ box, seat: 0 }] : [];
    return [...holder, ...taken];
  });
}

function after(bettors: readonly Selection[], at: Selection): Selection {
  const place = bettors.findIndex((one) => isSame(one, at));
  return bettors[(place + 1) % Math.max(bettors.length, 1)] ?? at;
}

/** The pad's keys go before those of the page while it is open. */
function usePadKeys(press: (key: string) => boolean): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
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
