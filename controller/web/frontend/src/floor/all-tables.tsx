// The key between the rounds or figures of one table and those of all.
import { useI18n } from "../i18n/context";
import { SmallKey } from "../shared/small-key";
import { addressOf, type Go } from "./place";
import { useShift } from "./shift";

interface Props {
  page: "rounds" | "figures";
  /** All tables are shown. */
  all: boolean;
  go: Go;
}

/** Nothing at a house of one table. */
export function AllTables({ page, all, go }: Props) {
  const i18n = useI18n();
  if (useShift().tiles.length < 2) return null;
  return (
    <SmallKey
      data-key="ALL_TABLES"
      aria-pressed={all}
      onClick={() => go(all ? addressOf(page) : addressOf("floor", page))}
    >
      {i18n.text("ui.all_tables")}
    </SmallKey>
  );
}
