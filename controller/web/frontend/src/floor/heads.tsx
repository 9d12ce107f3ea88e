// The first line of a table.
import { useI18n } from "../i18n/context";

interface Props {
  /** The keys of their texts, "" for a column that needs none. */
  heads: readonly string[];
  /** Those of amounts; all but the first where none are named. */
  amounts?: readonly string[];
}

/** What stands in each column. */
export function Heads({ heads, amounts = heads.slice(1) }: Props) {
  const i18n = useI18n();
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} class={amounts.includes(head) ? "amount" : ""}>
            {head && i18n.text(head)}
          </th>
        ))}
      </tr>
    </thead>
  );
}
