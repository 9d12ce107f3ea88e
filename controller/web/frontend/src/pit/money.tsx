// The money of a table: a form for each movement.

import { useContext, useState } from "preact/hooks";
import { useShift } from "../floor/place";
import { decimals, digitsOf, minorUnits, useI18n } from "../i18n/i18n";
import type { Act, Observation } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { Chip, TableView } from "../view";
import { AmountField, TextField } from "./entered";
import { Choices, Reasons, RULING_REASONS, type RulingReason, SecondContext, SecondSigns } from "./ruling";

interface ChipCountProps {
  values: readonly Chip[];
  /** Pieces by value in minor units. */
  pieces: Record<string, number>;
  onCount: (pieces: Record<string, number>) => void;
}

const PIECES_MAX = 99_999;

/** A field for each value with − and +, the largest first, and what it is worth; an empty one is no piece. */
function ChipCount({ values, pieces, onCount }: ChipCountProps) {
  const i18n = useI18n();
  const kinds = values
    .map((chip) => ({ chip, minor: minorUnits(chip.value) ?? 0 }))
    .sort((one, other) => other.minor - one.minor);
  const count = (minor: number, number: number | null): void => {
    const { [String(minor)]: _, ...others } = pieces;
    onCount(number === null ? others : { ...others, [String(minor)]: Math.min(number, PIECES_MAX) });
  };
  const typed = (text: string): number | null => {
    const digits = text.replace(/\D/g, "");
    return digits ? Number(digits) : null;
  };
  return (
    <fieldset class="chip-count grid">
      <legend>{i18n.text("ui.chips_by_value")}</legend>
      {kinds.map(({ chip, minor }) => {
        const now = pieces[String(minor)] ?? 0;
        const value = i18n.chips(chip.value);
        return (
          <div class="grid level" key={minor}>
            <b>{value}</b>
            <button
              type="button"
              class="key-small"
              aria-label={i18n.text("ui.one_less", { value })}
              onClick={() => count(minor, Math.max(now - 1, 0))}
            >
              −
            </button>
            <input
              class="whole-width to-middle"
              name={`chips-${minor}`}
              aria-label={i18n.text("ui.pieces_of", { value })}
              inputMode="numeric"
              maxLength={5}
              autocomplete="off"
              value={pieces[String(minor)] ?? ""}
              onInput={(event) => count(minor, typed(event.currentTarget.value))}
            />
            <button
              type="button"
              class="key-small"
              aria-label={i18n.text("ui.one_more", { value })}
              onClick={() => count(minor, now + 1)}
            >
              +
            </button>
            <span class={now ? "" : "quiet"}>{i18n.money(decimals(now * minor, digitsOf(chip.value)))}</span>
          </div>
        );
      })}
    </fieldset>
  );
}

/** The sum of pieces, in minor units. */
const piecesSum = (pieces: Record<string, number>): number =>
  Object.entries(pieces).reduce((sum, [value, number]) => sum + Number(value) * number, 0);

/** What can be entered, in the order of the keys. */
const MONEY_KINDS = ["open", "fill", "credit", "drop", "check", "close", "break", "day"] as const;
export type MoneyKind = (typeof MONEY_KINDS)[number];

/** A slip or a drop that is taken back: its kind, and its number or place in the day. */
export interface VoidedSlip {
  kind: "fill" | "credit" | "drop";
  slip: string;
}

/** What some kinds ask first; none is chosen beforehand. */
const FIRST = {
  drop: ["drop", "marker"],
  break: ["break_begins", "break_ends"],
  day: ["day_open", "day_closed"],
} as const;
type First = (typeof FIRST)[keyof typeof FIRST][number];

const isAsked = (kind: MoneyKind | "void"): kind is keyof typeof FIRST => kind in FIRST;

/** Two people sign where chips move or are counted, and where a slip is taken back. */
const BY_ONE: readonly (MoneyKind | "void")[] = ["drop", "break", "day"];

interface KeysProps {
  chosen: MoneyKind | null;
  off: boolean;
  onChoose: (kind: MoneyKind | null) => void;
}

/** A press on the chosen one closes its form. */
export function MoneyKeys({ chosen, off, onChoose }: KeysProps) {
  const i18n = useI18n();
  return (
    <div class="money-keys grid gap-8">
      {MONEY_KINDS.map((kind) => (
        <SmallKey
          key={kind}
          data-money={kind}
          aria-pressed={kind === chosen}
          disabled={off}
          onClick={() => onChoose(kind === chosen ? null : kind)}
        >
          {i18n.text(`money.${kind}`)}
        </SmallKey>
      ))}
    </div>
  );
}

interface FormProps {
  kind: MoneyKind | VoidedSlip;
  actor: string;
  view: TableView;
  off: boolean;
  /** The float as it ought to be, "" where it is not known. */
  float: string;
  onApply: (act: Act, seq: number) => void;
  onCancel: () => void;
}

/** Asks for the chips by value, the sum or the name, says what the float becomes, and who signs. */
export function MoneyForm({ kind: asked, actor, view, off, float, onApply, onCancel }: FormProps) {
  const i18n = useI18n();
  const { person } = useContext(SecondContext);
  const voided = typeof asked === "object" ? asked : null;
  const kind = typeof asked === "object" ? "void" : asked;
  const [first, setFirst] = useState<First | null>(null);
  // Typed over where the slip in hand has another number, or another dealer goes.
  const [typed, setTyped] = useState<string | null>(null);
  const dealt = useShift().tiles.find((tile) => tile.table === view.table)?.dealer ?? "";
  const name = typed ?? proposed(kind, first, view, dealt);
  const [sum, setSum] = useState("");
  const [chips, setChips] = useState<Record<string, number>>({});
  const [reason, setReason] = useState<RulingReason | null>(null);
  const two = !BY_ONE.includes(kind);
  const amount = minorUnits(sum);
  const filled = { name: name.trim(), chips, amount, actor, reason, first };
  const fact = voided ? voidOf(voided, filled) : factOf(kind, filled);
  const digits = digitsOf(float || (view.chips[0]?.value ?? "0.00"));
  const money = (minor: number): { money: string } => ({ money: decimals(minor, digits) });
  const moves = kind === "fill" ? piecesSum(chips) : kind === "credit" ? -piecesSum(chips) : 0;
  const counts = kind === "open" || kind === "check" || kind === "close";
  const before = minorUnits(float);
  return (
    <section class="money-form stack gap-6 edge rounded" aria-label={title(asked, i18n)} data-form={kind}>
      <header>
        <h3>{title(asked, i18n)}</h3>
        <SmallKey data-key="CANCEL" onClick={onCancel}>
          {i18n.text("ui.cancel")}
        </SmallKey>
      </header>
      {isAsked(kind) && (
        <Choices
          legend={i18n.text(`money.${kind}`)}
          choices={FIRST[kind].map((one) => ({
            value: one as First,
            label: i18n.text(`books.${one}`),
            name: one,
          }))}
          chosen={first ?? undefined}
          onChoose={setFirst}
        />
      )}
      {(kind === "fill" || kind === "credit" || kind === "break") && (
        <TextField
          label={i18n.text(kind === "break" ? "role.dealer" : "ui.slip_number")}
          name={kind === "break" ? "dealer" : "slip"}
          maxLength={kind === "break" ? 40 : 32}
          value={name}
          onValue={setTyped}
        />
      )}
      {(counts || kind === "fill" || kind === "credit") && (
        <ChipCount values={view.chips} pieces={chips} onCount={setChips} />
      )}
      {kind === "drop" && <AmountField label={i18n.text("ui.amount_dropped")} value={sum} onValue={setSum} />}
      {voided && <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />}
      {(counts || moves !== 0) && (
        <p class="sum" data-sum={piecesSum(chips)}>
          <b class="size-20">{i18n.text("ui.chips_sum", { amount: money(piecesSum(chips)) })}</b>
          {moves !== 0 && before !== null && (
            <span class="quiet">
              {i18n.text("ui.float_becomes", { before: money(before), after: money(before + moves) })}
            </span>
          )}
        </p>
      )}
      <p class="first-signs">
        <b>{actor}</b> {i18n.text("ui.signed_in")} ✓
      </p>
      {two && <SecondSigns />}
      <button
        type="button"
        class="plain main"
        data-key="APPLY"
        disabled={off || fact === null || (two && person === null)}
        onClick={() => fact && onApply({ do: "observe", obs: fact }, view.seq)}
      >
        {i18n.text("ui.movement_recorded", { what: [title(asked, i18n), name].filter(Boolean).join(" ") })}
        {fact === null
          ? `: ${i18n.text("ui.missing_amount")}`
          : two && person === null
            ? `: ${i18n.text("ui.missing_second")}`
            : ""}
      </button>
    </section>
  );
}

function title(kind: FormProps["kind"], i18n: ReturnType<typeof useI18n>): string {
  if (typeof kind === "object") return `${i18n.text(`books.void_${kind.kind}`)} ${kind.slip}`;
  return i18n.text(`books.${isAsked(kind) && kind !== "drop" ? `${kind}_title` : kind}`);
}

/** The number that follows the last slip of this kind; who deals goes, and whoever dealt last comes back where nobody does. */
const proposed = (
  kind: MoneyKind | "void",
  first: First | null,
  { slips, dealing }: TableView,
  dealt: string,
): string => {
  if (kind === "fill" || kind === "credit") return slips[kind];
  if (first === "break_begins") return dealing;
  return first === "break_ends" && !dealing ? dealt : "";
};

interface Filled {
  /** The slip's number, or the dealer. */
  name: string;
  chips: Record<string, number>;
  amount: number | null;
  actor: string;
  reason: RulingReason | null;
  first: First | null;
}

const voidOf = ({ kind, slip }: VoidedSlip, { actor: by, reason }: Filled): Observation | null => {
  if (!reason) return null;
  return kind === "drop"
    ? { obs: "slip_void", kind, nth: Number(slip), by, reason }
    : { obs: "slip_void", kind, slip, by, reason };
};

/** The pieces without those of which there is none. */
const counted = (chips: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(chips).filter(([, pieces]) => pieces > 0));

/** What is entered; null while something is missing. A float of nothing is counted where a 0 is typed; nothing else moves nothing. */
function factOf(
  kind: MoneyKind | "void",
  { name, chips, amount, actor: by, first }: Filled,
): Observation | null {
  switch (kind) {
    case "void":
      return null;
    case "day":
      return first && { obs: "table", state: first === "day_open" ? "open" : "closed", by };
    case "break":
      return first && name ? { obs: "dealer", id: name, at: first === "break_begins" ? "out" : "in" } : null;
    case "drop":
      return first && amount ? { obs: "drop", amount, kind: first === "drop" ? "cash" : "marker" } : null;
    case "fill":
    case "credit":
      return name && piecesSum(chips) > 0 ? { obs: kind, slip: name, chips: counted(chips), by } : null;
    default:
      if (Object.keys(chips).length === 0) return null;
      return piecesSum(chips) > 0
        ? { obs: "count", at: kind, chips: counted(chips), by }
        : { obs: "count", at: kind, amount: 0, by };
  }
}
