// The money of a round box by box, as it stands now, with what was first entered struck through.
import { useI18n } from "../i18n/context";
import type { RoundSheet } from "../view";
import { PayoutCells, PayoutHeads } from "./ledger";

/** The last row is the house's. */
export function MoneyTable({ sheet, box }: { sheet: RoundSheet; box: number | null }) {
  const i18n = useI18n();
  return (
    <section aria-label={i18n.text("ui.money_per_box")}>
      <h2>{i18n.text("ui.money_per_box")}</h2>
      <table class="ledger-table">
        <PayoutHeads />
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
    </section>
  );
}
