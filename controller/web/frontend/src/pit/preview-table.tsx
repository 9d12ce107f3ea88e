// Before and after, as the server worked it out: hands, money to each bettor, and what it means for the house.
import { handLabel } from "../felt/hand";
import { useI18n } from "../i18n/context";
import { cardSign } from "../i18n/sentences";
import type { HandRow, HiddenCard, OpenCard, Preview } from "../view";

interface Props {
  preview: Preview | null;
  /** What has to be chosen first. */
  ask?: string;
}

/** A row for each hand, stake and bettor that changes, for the others together, and for the house. */
export function PreviewTable({ preview, ask }: Props) {
  const i18n = useI18n();
  if (!preview) return <p class="quiet">{ask ?? i18n.text("ui.choose_rank")}</p>;
  const { problem, disputes, hands, stakes, money, untouched, house } = preview;
  const bettor = (key: string, { box, seat }: { box: number; seat: number }): string =>
    i18n.text(seat === 0 ? key : `${key}_seat`, { box, seat });
  // Once there is money, a hand that only comes out otherwise is told by its bettors.
  const shown = hands.filter((row) => house.length === 0 || cardsChange(row));
  return (
    <>
      {problem && (
        <p class="problem">
          {disputes && `${i18n.text("ui.would_dispute")} `}
          {i18n.say(problem)}
        </p>
      )}
      <table class="preview whole-width size-18">
        <thead>
          <tr>
            <th />
            <th class="amount">{i18n.text("ui.before")}</th>
            <th class="amount">{i18n.text("ui.after")}</th>
            <th class="amount">{i18n.text("ui.change")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <HandLine key={`${row.box}.${row.hand}`} row={row} />
          ))}
          {stakes.map((row) => (
            <Row
              key={`stake ${row.box}.${row.seat}`}
              name={{ "data-stake": `${row.box}.${row.seat}` }}
              title={bettor("ui.staked", row)}
              cells={[row.before, row.after, row.change]}
            />
          ))}
          {money.map((row) => (
            <Row
              key={`${row.box}.${row.seat}`}
              name={{ "data-money": `${row.box}.${row.seat}` }}
              title={bettor("ui.net", row)}
              cells={[row.before.money, row.after.money, row.change.money]}
            />
          ))}
          {untouched && (
            <tr class="untouched">
              <th>{i18n.text("ui.untouched", { boxes: untouched.boxes.join(" ") })}</th>
              <td class="amount">{i18n.money(untouched.sum.money)}</td>
              <td class="amount">{i18n.money(untouched.sum.money)}</td>
              <td />
            </tr>
          )}
        </tbody>
        <tfoot>
          {house.map((row) => (
            <Row
              key={row.text.code}
              name={{ "data-house": row.text.code }}
              title={i18n.say(row.text)}
              cells={[row.before.money, row.after.money, preview.house_change.money]}
            />
          ))}
        </tfoot>
      </table>
      {!problem && house.length === 0 && (
        <p class="before-settlement weight-650 round-10">{i18n.text("ui.before_settlement")}</p>
      )}
    </>
  );
}

interface RowProps {
  name: Record<string, string>;
  title: string;
  /** Before, after, change. */
  cells: readonly [string, string, string];
}

/** What was is struck through where it changes. */
function Row({ name, title, cells: [before, after, change] }: RowProps) {
  const i18n = useI18n();
  const same = before === after;
  return (
    <tr {...name}>
      <th>{title}</th>
      <td class="amount">{same ? i18n.money(before) : <s class="soft">{i18n.money(before)}</s>}</td>
      <td class={same ? "amount" : "amount new"}>{i18n.money(after)}</td>
      <td class="amount">{i18n.money(change)}</td>
    </tr>
  );
}

/** The ranks of a hand in a row; a face-down card is a block, an unread one a question mark. */
export function ranks(cards: readonly (HiddenCard | OpenCard)[]): string {
  return cards.map((card) => ("hidden" in card ? "▮" : (card.rank ?? "?"))).join(" ");
}

const signs = (cards: HandRow["before"]): string =>
  cards.map((card) => ("hidden" in card ? "▮" : cardSign(card))).join(" ");

const cardsChange = ({ before, after }: HandRow): boolean => signs(before) !== signs(after);

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
      <td class="hands" colSpan={3}>
        {signs(row.before)} <b>{before}</b> →{" "}
        <span class="new">
          {signs(row.after)} <b>{after}</b>
        </span>
      </td>
    </tr>
  );
}
