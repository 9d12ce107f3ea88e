// The payouts of the shift, box by box, those with a difference first, and what they come to.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { useFetched } from "../../server/fetched";
import { bettorName } from "../../shared/bettor-name";
import type { PayoutLedger, PayoutRow, PayoutTotal } from "../../view";
import { RoundPictures } from "./round-pictures";

interface Props {
  seq: number;
  /** Opens the ruling on a payout; none where nothing can be sent now. */
  onPutRight: ((row: PayoutRow) => void) | undefined;
}

/** The ledger; a payout is put right by a ruling, which adds to it and changes nothing in it. */
export function PayoutPage({ seq, onPutRight }: Props) {
  const i18n = useI18n();
  const ledger = useFetched<PayoutLedger>("/api/payouts", seq);
  const [pictured, setPictured] = useState<number | null>(null);
  if (!ledger) return <p class="quiet">{i18n.text("ui.loading")}</p>;
  if (ledger.rows.length === 0) return <p class="quiet">{i18n.text("ui.payouts_none")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <section class="ledger" tabIndex={0} aria-label={i18n.text("ui.shift_payouts")}>
      {pictured !== null && (
        <RoundPictures key={pictured} round={pictured} onClose={() => setPictured(null)} />
      )}
      <Totals totals={ledger.totals} />
      <table class="preview">
        <thead>
          <tr>
            <th>{i18n.text("ui.round")}</th>
            <th>{i18n.text("ui.payouts_box")}</th>
            <Amounts />
            <th>{i18n.text("ui.payouts_how")}</th>
            <th>{i18n.text("ui.payouts_by")}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {ledger.rows.map((row) => (
            <Row
              key={`${row.round}.${row.box}.${row.seat}`}
              row={row}
              onPictures={setPictured}
              onPutRight={onPutRight}
            />
          ))}
        </tbody>
      </table>
      {ledger.more > 0 && <p class="quiet">{i18n.text("ui.more_rows", { count: ledger.more })}</p>}
    </section>
  );
}

function Amounts() {
  const i18n = useI18n();
  return (
    <>
      {(["expected", "paid", "difference"] as const).map((name) => (
        <th key={name} class="amount">
          {i18n.text(`ui.payouts_${name}`)}
        </th>
      ))}
    </>
  );
}

interface RowProps {
  row: PayoutRow;
  onPictures: (round: number) => void;
  onPutRight: Props["onPutRight"];
}

function Row({ row, onPictures, onPutRight }: RowProps) {
  const i18n = useI18n();
  const differs = wrong(row.difference);
  return (
    <tr class={differs ? "differs" : ""} data-payout={`${row.round}.${row.box}.${row.seat}`}>
      <td>
        {row.round} <small>{i18n.clock(row.at_utc_us)}</small>
      </td>
      <td>{bettorName(row)}</td>
      <td class="amount">{i18n.money(row.expected)}</td>
      <td class="amount">{i18n.money(row.paid)}</td>
      <td class="amount">
        <Difference amount={row.difference} />
      </td>
      <td>{i18n.text(`ui.how_${row.how}`)}</td>
      <td>{row.by}</td>
      <td class="row-keys">
        <button
          type="button"
          class="plain small"
          data-show-pictures={row.round}
          onClick={() => onPictures(row.round)}
        >
          {i18n.text("ui.pictures")}
        </button>
        <a class="plain small" data-replay={row.round} href={`/replay?round=${row.round}`}>
          {i18n.text("ui.replay")}
        </a>
        <button
          type="button"
          class="plain small"
          data-put-right={`${row.round}.${row.box}.${row.seat}`}
          disabled={!onPutRight}
          onClick={() => onPutRight?.(row)}
        >
          {i18n.text("key.PUT_RIGHT")}
        </button>
      </td>
    </tr>
  );
}

const wrong = (difference: string): boolean => /[1-9]/.test(difference);

/** A difference by sign, glyph and amount; "=" where there is none. */
function Difference({ amount }: { amount: string }) {
  const i18n = useI18n();
  if (!wrong(amount)) return <>=</>;
  const over = !amount.startsWith("-");
  return (
    <b class={over ? "over" : "under"}>
      ! {over ? "+" : ""}
      {i18n.money(amount)}
    </b>
  );
}

function Totals({ totals }: { totals: readonly PayoutTotal[] }) {
  const i18n = useI18n();
  return (
    <table class="preview totals">
      <thead>
        <tr>
          <th>{i18n.text("ui.payouts_total")}</th>
          <Amounts />
          <th />
        </tr>
      </thead>
      <tbody>
        {totals.map((total) => (
          <tr key={`${total.of} ${total.name}`} data-total={total.of}>
            <th scope="row">{i18n.text(`ui.total_${total.of}`, { name: total.name })}</th>
            <td class="amount">{i18n.money(total.expected)}</td>
            <td class="amount">{i18n.money(total.paid)}</td>
            <td class="amount">
              <Difference amount={total.difference} />
            </td>
            <td>{i18n.text("ui.payouts_count", { wrong: total.wrong, count: total.count })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
