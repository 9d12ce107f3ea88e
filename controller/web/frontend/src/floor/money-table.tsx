// The money of a round box by box, as it stands now, with what was first entered struck through.
import { useI18n } from "../i18n/context";
import { bettorName } from "../shared/bettor-name";
import type { RoundSheet } from "../view";
import { Difference, Paid } from "./ledger";
import { Result } from "./result";

const HEADS = ["box", "hand", "result", "stake", "due", "paid", "difference"] as const;
const AMOUNTS: readonly string[] = ["stake", "due", "paid", "difference"];

/** The last row is the house's. */
export function MoneyTable({ sheet, box }: { sheet: RoundSheet; box: number | null }) {
  const i18n = useI18n();
  return (
    <section aria-label={i18n.text("ui.money_per_box")}>
      <h2>{i18n.text("ui.money_per_box")}</h2>
      <table class="ledger-table">
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} class={AMOUNTS.includes(head) ? "amount" : ""}>
                {i18n.text(`ui.ledger_${head}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sheet.money.map((row) => (
            <tr
              key={`${row.box}.${row.seat}`}
              class={row.differs ? "differs" : row.box === box ? "chosen" : ""}
              data-money={`${row.box}.${row.seat}`}
            >
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
    </section>
  );
}
