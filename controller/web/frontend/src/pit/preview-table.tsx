// Before and after, as the server worked it out: hands, money, and what it means for the house.
import { handLabel } from "../felt/hand";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { HandRow, HiddenCard, MoneyRow, OpenCard, Preview, StakeRow } from "../view";

interface Props {
  preview: Preview | null;
  /** What has to be chosen first. */
  ask?: string;
}

/** A row for each hand and each bettor that changes; without a preview, that something has to be chosen. */
export function PreviewTable({ preview, ask }: Props) {
  const i18n = useI18n();
  if (!preview) return <p class="quiet">{ask ?? i18n.text("ui.choose_rank")}</p>;
  return (
    <>
      {preview.problem && (
        <p class="problem">
          {preview.disputes && `${i18n.text("ui.would_dispute")} `}
          {i18n.say(preview.problem)}
        </p>
      )}
      <table class="preview">
        <thead>
          <tr>
            <th />
            <th>{i18n.text("ui.before")}</th>
            <th>{i18n.text("ui.after")}</th>
            <th class="amount">{i18n.text("ui.change")}</th>
          </tr>
        </thead>
        <tbody>
          {preview.hands.map((row) => (
            <HandLine key={`${row.box}.${row.hand}`} row={row} />
          ))}
          {preview.stakes.map((row) => (
            <MoneyLine key={`stake ${row.box}.${row.seat}`} row={row} stake />
          ))}
          {preview.money.map((row) => (
            <MoneyLine key={`${row.box}.${row.seat}`} row={row} />
          ))}
        </tbody>
        {preview.money.length + preview.stakes.length > 0 && (
          <tfoot>
            <tr>
              <th colSpan={3}>{i18n.text("ui.house")}</th>
              <td class="amount">{signed(preview.house_change, i18n)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </>
  );
}

function signed(amount: string, i18n: I18n): string {
  if (amount.startsWith("-")) return `−${i18n.money(amount.slice(1))}`;
  return /[1-9]/.test(amount) ? `+${i18n.money(amount)}` : i18n.money(amount);
}

/** The ranks of a hand in a row; a face-down card is a block, an unread one a question mark. */
export function ranks(cards: readonly (HiddenCard | OpenCard)[]): string {
  return cards.map((card) => ("hidden" in card ? "▮" : (card.rank ?? "?"))).join(" ");
}

function HandLine({ row }: { row: HandRow }) {
  const i18n = useI18n();
  const name =
    row.box === 0 ? i18n.text("ui.dealer") : i18n.text("ui.box_hand", { box: row.box, hand: row.hand });
  const shape = { hand: row.hand, blackjack: false, doubled: false, active: false, cards: row.before };
  const before = handLabel({ ...shape, total: row.total_before, outcome: row.outcome_before }, i18n);
  const after = handLabel({ ...shape, total: row.total_after, outcome: row.outcome_after }, i18n);
  return (
    <tr data-preview={`${row.box}.${row.hand}`}>
      <th>{name}</th>
      <td>
        {ranks(row.before)} <b>{before}</b>
      </td>
      <td>
        {ranks(row.after)} <b>{after}</b>
      </td>
      <td />
    </tr>
  );
}

function MoneyLine({ row, stake = false }: { row: MoneyRow | StakeRow; stake?: boolean }) {
  const i18n = useI18n();
  const what = stake ? "ui.staked" : "ui.returned";
  const key = row.seat === 0 ? what : `${what}_seat`;
  const place = `${row.box}.${row.seat}`;
  return (
    <tr data-money={stake ? undefined : place} data-stake={stake ? place : undefined}>
      <th>{i18n.text(key, { box: row.box, seat: row.seat })}</th>
      <td>{i18n.money(row.before)}</td>
      <td>{i18n.money(row.after)}</td>
      <td class="amount">{signed(row.change, i18n)}</td>
    </tr>
  );
}
