// Before and after, as the server worked it out: hands, money, and what it means for the house.
import { handLabel } from "../felt/hand";
import type { HandRow, HiddenCard, MoneyRow, OpenCard, Preview } from "../view";
import type { Speech } from "../words";

interface Props {
  preview: Preview | null;
  speech: Speech;
}

export function PreviewTable({ preview, speech }: Props) {
  if (!preview) return <p class="quiet">{speech.text("ui.choose_rank")}</p>;
  return (
    <>
      {preview.problem && (
        <p class="problem">
          {preview.disputes && `${speech.text("ui.would_dispute")} `}
          {speech.say(preview.problem)}
        </p>
      )}
      <table class="preview">
        <thead>
          <tr>
            <th />
            <th>{speech.text("ui.before")}</th>
            <th>{speech.text("ui.after")}</th>
            <th class="amount">{speech.text("ui.change")}</th>
          </tr>
        </thead>
        <tbody>
          {preview.hands.map((row) => (
            <HandLine key={`${row.box}.${row.hand}`} row={row} speech={speech} />
          ))}
          {preview.money.map((row) => (
            <MoneyLine key={`${row.box}.${row.seat}`} row={row} speech={speech} />
          ))}
        </tbody>
        {preview.money.length > 0 && (
          <tfoot>
            <tr>
              <th colSpan={3}>{speech.text("ui.house")}</th>
              <td class="amount">{signed(preview.house_change, speech)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </>
  );
}

function signed(amount: string, speech: Speech): string {
  if (amount.startsWith("-")) return `−${speech.money(amount.slice(1))}`;
  return /[1-9]/.test(amount) ? `+${speech.money(amount)}` : speech.money(amount);
}

/** The ranks of a hand in a row; a face-down card is a block, an unread one a question mark. */
export function ranks(cards: readonly (HiddenCard | OpenCard)[]): string {
  return cards.map((card) => ("hidden" in card ? "▮" : (card.rank ?? "?"))).join(" ");
}

function HandLine({ row, speech }: { row: HandRow; speech: Speech }) {
  const name =
    row.box === 0 ? speech.text("ui.dealer") : speech.text("ui.box_hand", { box: row.box, hand: row.hand });
  const shape = { hand: row.hand, blackjack: false, doubled: false, active: false, cards: row.before };
  const before = handLabel({ ...shape, total: row.total_before, outcome: row.outcome_before }, speech);
  const after = handLabel({ ...shape, total: row.total_after, outcome: row.outcome_after }, speech);
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

function MoneyLine({ row, speech }: { row: MoneyRow; speech: Speech }) {
  const key = row.seat === 0 ? "ui.returned" : "ui.returned_seat";
  return (
    <tr data-money={`${row.box}.${row.seat}`}>
      <th>{speech.text(key, { box: row.box, seat: row.seat })}</th>
      <td>{speech.money(row.before)}</td>
      <td>{speech.money(row.after)}</td>
      <td class="amount">{signed(row.change, speech)}</td>
    </tr>
  );
}
