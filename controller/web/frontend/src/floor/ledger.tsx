// The ledger: who staked, what was due and paid, how that is known; differences first, each a way to its round.

import { useI18n } from "../i18n/context";
import { roundAddress } from "../shared/address";
import { bettorName } from "../shared/bettor-name";
import { SmallKey } from "../shared/small-key";
import type { LedgerRow } from "../view";
import { Heads } from "./heads";
import type { PitTable } from "./pit-table";
import { addressOf, type Place } from "./place";
import { Result } from "./result";
import { useShift } from "./shift";

/** What of it is looked at: all rows with a difference are listed, and those of the round that is being paid. */
const FILTERS = {
  differences: (row: LedgerRow) => row.differs,
  waits: (row: LedgerRow) => row.paid === null,
} as const;
const FILTER_NAMES = { differences: "ui.rounds_differences", waits: "ui.ledger_waits" } as const;
type Filter = keyof typeof FILTERS;

/** Asked for again when the table moves; the filter stands in the address. */
export function Ledger({ table: { view, go }, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const { ledger } = useShift();
  const filter = place.query.get("ledger") as Filter | null;
  const all = ledger?.rows ?? [];
  const rows = filter && filter in FILTERS ? all.filter(FILTERS[filter]) : all;
  return (
    <section class="ledger-box stack low" aria-label={i18n.text("ui.ledger")}>
      <h2>
        {i18n.text("ui.ledger")}
        <span>
          {view.table} · <Differing />
        </span>
      </h2>
      <div class="filters flex wrap gap-8">
        {(Object.keys(FILTERS) as Filter[]).map((name) => (
          <SmallKey
            key={name}
            data-filter={name}
            aria-pressed={filter === name}
            onClick={() => go(addressOf("tables", place.what, { ledger: filter === name ? "" : name }), true)}
          >
            {i18n.text(FILTER_NAMES[name])} <b>{all.filter(FILTERS[name]).length}</b>
          </SmallKey>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <div class="scrolls" tabIndex={0}>
        <LedgerTable rows={rows} onRow={(row) => go(roundAddress(row.round, { box: row.box }))} />
        {rows.length === 0 && <p class="quiet">{i18n.text("ui.payouts_none")}</p>}
      </div>
    </section>
  );
}

/** How many payouts differ, and by how much in all. */
export function Differing() {
  const i18n = useI18n();
  const { ledger } = useShift();
  if (!ledger?.differences) return <span>{i18n.text("ui.no_difference")}</span>;
  return <b class="differs">{i18n.text("ui.differences", { count: ledger.differences, sum: ledger.sum })}</b>;
}

interface TableProps {
  rows: readonly LedgerRow[];
  onRow: (row: LedgerRow) => void;
}

/** What a table says of a payout. */
const AMOUNTS = ["ui.ledger_stake", "ui.ledger_due", "ui.ledger_paid", "ui.ledger_difference"];
const PAYOUT = ["ui.ledger_box", "ui.ledger_hand", "ui.ledger_result", ...AMOUNTS];

function LedgerTable({ rows, onRow }: TableProps) {
  return (
    <table class="ledger-table">
      <Heads heads={["ui.ledger_round", ...PAYOUT, "ui.ledger_known"]} amounts={AMOUNTS} />
      <tbody>
        {rows.map((row) => (
          <Row key={`${row.round}.${row.box}.${row.seat}`} row={row} onRow={onRow} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, onRow }: { row: LedgerRow; onRow: TableProps["onRow"] }) {
  const i18n = useI18n();
  return (
    <tr
      class={row.differs ? "differs" : row.paid === null ? "waits" : ""}
      data-payout={`${row.round}.${row.box}.${row.seat}`}
      onClick={() => onRow(row)}
    >
      <td>
        <a
          href={roundAddress(row.round, { box: row.box })}
          onClick={(event) => {
            event.preventDefault();
            event.stopPropagation();
            onRow(row);
          }}
        >
          {row.round}
        </a>
      </td>
      <PayoutCells row={row} />
      <td>{row.how ? i18n.text(`ui.how_${row.how}`) : ""}</td>
    </tr>
  );
}

/** The heads of payouts alone. */
export const PayoutHeads = () => <Heads heads={PAYOUT} amounts={AMOUNTS} />;

/** The cells of one payout, in the order of PAYOUT. */
export function PayoutCells({ row }: { row: LedgerRow }) {
  const i18n = useI18n();
  return (
    <>
      <td>{bettorName(row)}</td>
      <td>{row.hands}</td>
      <td>
        <Result results={row.results} />
      </td>
      <td class="amount">{i18n.money(row.stake.money)}</td>
      <td class="amount">{i18n.money(row.due.money)}</td>
      <td class="amount">
        <Paid row={row} />
      </td>
      <td class="amount">
        <Difference row={row} />
      </td>
    </>
  );
}

/** What was paid; before it what was entered first, struck through, where somebody has put it right. */
function Paid({ row }: { row: LedgerRow }) {
  const i18n = useI18n();
  if (row.paid === null) return <span class="quiet">{i18n.text("ui.ledger_waits")}</span>;
  return (
    <>
      {row.was && <s>{i18n.money(row.was.money)}</s>} {i18n.money(row.paid.money)}
    </>
  );
}

/** A difference by sign, glyph and amount. */
function Difference({ row }: { row: LedgerRow }) {
  const i18n = useI18n();
  if (row.difference === null) return null;
  return row.differs ? (
    <b class="differs">! {i18n.money(row.difference.money)}</b>
  ) : (
    <span class="quiet">{i18n.money(row.difference.money)}</span>
  );
}
