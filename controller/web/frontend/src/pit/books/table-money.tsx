// The table's own books: counts of the float, fills and credits with their slips, drop and markers, breaks, the day's beginning and end.
import { useContext, useState } from "preact/hooks";
import { useShift } from "../../floor/shift";
import { useI18n } from "../../i18n/context";
import { decimals, minorUnits } from "../../i18n/minor-units";
import type { Observation } from "../../server/commands";
import type { TableView } from "../../view";
import { ActDialog, type FactProps } from "../act-dialog";
import { Choices } from "../choices";
import { AmountField } from "../entered/amount-field";
import { SecondContext, SecondSigns } from "../second-signs";
import { Sign, useSignature } from "../signature";
import { ANY_REASON } from "../use-preview";
import { ChipCount, piecesSum } from "./chip-count";
import { TextField } from "./text-field";

const KINDS = [
  "day_open",
  "open",
  "fill",
  "credit",
  "drop",
  "marker",
  "void_fill",
  "void_credit",
  "void_drop",
  "break_begins",
  "break_ends",
  "check",
  "close",
  "day_closed",
] as const;
type Kind = (typeof KINDS)[number];

/** Chips that move, or are counted, by two people. */
const BY_CHIPS: readonly Kind[] = ["open", "check", "close", "fill", "credit"];
const VOIDS: readonly Kind[] = ["void_fill", "void_credit", "void_drop"];
const BREAKS: readonly Kind[] = ["break_begins", "break_ends"];
const WITH_SLIP: readonly Kind[] = ["fill", "credit", ...VOIDS];

/** Asks what happened, then for the chips by value and who signs, or for the sum that went into the box. */
export function TableMoney({ actor, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const { needed, person } = useContext(SecondContext);
  const [kind, setKind] = useState<Kind>("fill");
  // Typed over where the slip in hand has another number, or another dealer goes; the kind that is chosen anew is
  // proposed anew.
  const [typed, setTyped] = useState<string | null>(null);
  const dealt = useShift().tiles.find((tile) => tile.table === view.table)?.dealer ?? "";
  const name = typed ?? proposed(kind, view, dealt);
  const [sum, setSum] = useState("");
  const [chips, setChips] = useState<Record<string, number>>({});
  const signature = useSignature(false);
  const counts = BY_CHIPS.includes(kind);
  const voids = VOIDS.includes(kind);
  const breaks = BREAKS.includes(kind);
  const two = counts || (voids && kind !== "void_drop");
  const amount = minorUnits(sum);
  const fact = factOf(kind, { name: name.trim(), chips, amount, actor });
  return (
    <ActDialog
      title={i18n.text("ui.table_money")}
      size="medium"
      ready={!off && fact !== null && (!two || person !== null) && (!voids || signature.ready)}
      onApply={() => fact && onApply(signature.sign(fact), view.seq)}
      onCancel={onCancel}
    >
      <Choices
        legend={i18n.text("ui.table_money")}
        choices={KINDS.map((one) => ({ value: one, label: i18n.text(`books.${one}`), name: one }))}
        chosen={kind}
        onChoose={(one) => {
          setKind(one);
          setTyped(null);
        }}
      />
      {(WITH_SLIP.includes(kind) || breaks) && (
        <TextField
          label={i18n.text(
            breaks ? "role.dealer" : kind === "void_drop" ? "ui.drop_number" : "ui.slip_number",
          )}
          name={breaks ? "dealer" : "slip"}
          maxLength={breaks ? 40 : 32}
          value={name}
          onValue={setTyped}
        />
      )}
      {counts && (
        <>
          <ChipCount values={view.chips} pieces={chips} onCount={setChips} />
          <p class="quiet">{i18n.text("ui.chips_sum", { amount: { money: decimals(piecesSum(chips)) } })}</p>
        </>
      )}
      {(kind === "drop" || kind === "marker") && (
        <AmountField label={i18n.text("ui.amount_dropped")} value={sum} onInput={setSum} />
      )}
      {voids && <Sign signature={signature} />}
      {two && !needed && <SecondSigns />}
    </ActDialog>
  );
}

/** The number that follows the last slip of this kind; who deals goes, and whoever dealt last comes back where nobody does. */
const proposed = (kind: Kind, { slips, dealing }: TableView, dealt: string): string => {
  if (kind === "fill" || kind === "credit") return slips[kind];
  if (kind === "void_drop") return slips.drop;
  if (kind === "break_begins") return dealing;
  return kind === "break_ends" && !dealing ? dealt : "";
};

interface Filled {
  /** The slip's number, or the dealer. */
  name: string;
  chips: Record<string, number>;
  amount: number | null;
  actor: string;
}

/** What is entered; null while something is missing. A float of nothing can be counted, nothing else moves nothing. */
function factOf(kind: Kind, { name, chips, amount, actor: by }: Filled): Observation | null {
  switch (kind) {
    case "day_open":
    case "day_closed":
      return { obs: "table", state: kind === "day_open" ? "open" : "closed", by };
    case "break_begins":
    case "break_ends":
      return name ? { obs: "dealer", id: name, at: kind === "break_begins" ? "out" : "in" } : null;
    case "drop":
    case "marker":
      return amount ? { obs: "drop", amount, kind: kind === "drop" ? "cash" : "marker" } : null;
    case "fill":
    case "credit":
      return name && piecesSum(chips) > 0 ? { obs: kind, slip: name, chips, by } : null;
    case "void_fill":
    case "void_credit": {
      const voided = kind === "void_fill" ? "fill" : "credit";
      return name ? { obs: "slip_void", kind: voided, slip: name, by, reason: ANY_REASON } : null;
    }
    case "void_drop": {
      const nth = /^[1-9]\d{0,3}$/.test(name) ? Number(name) : null;
      return nth ? { obs: "slip_void", kind: "drop", nth, by, reason: ANY_REASON } : null;
    }
    default:
      return piecesSum(chips) > 0
        ? { obs: "count", at: kind, chips, by }
        : { obs: "count", at: kind, amount: 0, by };
  }
}
