// Tables of payouts: the ledger of a table, and the money of a round.
import { MARKS } from "../felt/hands";
import { useI18n } from "../i18n/i18n";
import { bettorName } from "../i18n/sentences";
import { roundAddress } from "../server/http";
import type { LedgerRow, RoundSheet } from "../view";
import { Difference, Filters, Heads, Scrolls, Section } from "./list";
import type { PitTable } from "./live-table";
import { addressOf, type Go, Link, type Place, useShift } from "./place";

const GLYPHS = { pay: "+", take: "−", push: "=" } as const;

/** One word for each hand of the bettor. */
function Result({ results }: { results: LedgerRow["results"] }) {
  const i18n = useI18n();
  return (
    <>
      {results.map((outcome, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two hands of a box may come out alike; only their order tells them apart.
        <span key={index} class="result level gap-6 weight-650">
          <i class={MARKS[outcome].look} aria-hidden="true">
            {outcome === "blackjack" ? "★" : GLYPHS[MARKS[outcome].look]}
          </i>
          {i18n.text(`result.${outcome}`)}
        </span>
      ))}
    </>
  );
}

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
    <Section
      class="ledger-box stack low"
      name="ui.ledger"
      beside={[`${view.table} · `, <Differing key="sum" />]}
    >
      <div class="filters flex wrap gap-8">
        <Filters
          attribute="data-filter"
          names={Object.keys(FILTERS) as Filter[]}
          chosen={filter}
          label={(name) => [
            `${i18n.text(FILTER_NAMES[name])} `,
            <b key="count">{all.filter(FILTERS[name]).length}</b>,
          ]}
          onChoose={(name) =>
            go(addressOf("tables", place.what, { ledger: filter === name ? "" : name }), true)
          }
        />
      </div>
      <Scrolls>
        <table class="ledger-table">
          <Heads heads={["ui.ledger_round", ...PAYOUT, "ui.ledger_known"]} amounts={AMOUNTS} />
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.round}.${row.box}.${row.seat}`} row={row} go={go} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="quiet">{i18n.text("ui.payouts_none")}</p>}
      </Scrolls>
    </Section>
  );
}

/** How many payouts differ, and by how much in all. */
export function Differing() {
  const i18n = useI18n();
  const { ledger } = useShift();
  if (!ledger?.differences) return <span>{i18n.text("ui.no_difference")}</span>;
  return <b class="differs">{i18n.text("ui.differences", { count: ledger.differences, sum: ledger.sum })}</b>;
}

/** What a table says of a payout. */
const AMOUNTS = ["ui.ledger_stake", "ui.ledger_due", "ui.ledger_paid", "ui.ledger_difference"];
const PAYOUT = ["ui.ledger_box", "ui.ledger_hand", "ui.ledger_result", ...AMOUNTS];

function Row({ row, go }: { row: LedgerRow; go: Go }) {
  const i18n = useI18n();
  const to = roundAddress(row.round, { box: row.box });
  return (
    <tr
      class={row.differs ? "differs" : row.paid === null ? "waits" : ""}
      data-payout={`${row.round}.${row.box}.${row.seat}`}
      onClick={() => go(to)}
    >
      <td>
        <Link to={to} go={go} class="">
          {row.round}
        </Link>
      </td>
      <PayoutCells row={row} />
      <td>{row.how ? i18n.text(`ui.how_${row.how}`) : ""}</td>
    </tr>
  );
}

/** The cells of one payout, in the order of PAYOUT. */
function PayoutCells({ row }: { row: LedgerRow }) {
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
      <td class="amount">{row.difference && <Difference amount={row.difference} differs={row.differs} />}</td>
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

/** The last row is the house's. */
export function MoneyTable({ sheet, box }: { sheet: RoundSheet; box: number | null }) {
  const i18n = useI18n();
  return (
    <Section name="ui.money_per_box">
      <table class="ledger-table">
        <Heads heads={PAYOUT} amounts={AMOUNTS} />
        <tbody>
          {sheet.money.map((row) => (
            <tr
              key={`${row.box}.${row.seat}`}
              class={row.differs ? "differs" : row.box === box ? "chosen" : ""}
              data-money={`${row.box}.${row.seat}`}
            >
              <PayoutCells row={row} />
            </tr>
          ))}
          <tr class="house">
            <th scope="row" colSpan={4}>
              {i18n.text("ui.house_round")}
            </th>
            <td class="amount">{i18n.money(sheet.house_due.money)}</td>
            <td class="amount">
              {sheet.money.some((row) => row.paid === null) ? (
                <span class="quiet">{i18n.text("ui.ledger_waits")}</span>
              ) : (
                i18n.money(sheet.house_paid.money)
              )}
            </td>
            <td />
          </tr>
        </tbody>
      </table>
    </Section>
  );
}
