// A field of a line in the words of the table.
import type { I18n } from "../i18n/i18n";
import type { ChipStack, Money } from "../view";

/** "Box" for "box"; a field that no text is known of stays as it is written in the file. */
export const fieldName = (name: string, i18n: I18n): string =>
  i18n.knows(`field.${name}`) ? i18n.text(`field.${name}`) : name;

/** What stands in a field in the words of the table where it is one of a few words: "cœur", "rester". */
export function fieldValue(name: string, value: string | Money | ChipStack, i18n: I18n): string {
  if (typeof value === "object") return i18n.value(value);
  if (name === "p") return i18n.text("ui.percent", { percent: i18n.number(100 * Number(value), 1) });
  const key = name === "suit" ? `ui.suit_${value}` : `${name === "by" ? "who" : name}.${value}`;
  return i18n.knows(key) ? i18n.text(key) : value;
}

/** "Stake 1, Returned" for "bets[0].returned", the path of a value in a round. */
export const pathName = (path: string, i18n: I18n): string =>
  path
    .split(".")
    .map((part) => {
      const [name = "", row] = part.replace("]", "").split("[");
      return row === undefined ? fieldName(name, i18n) : `${fieldName(name, i18n)} ${Number(row) + 1 || row}`;
    })
    .join(", ");
