// The drawn table as it fits the screen, upright or across.
import { useEffect, useState } from "preact/hooks";
import { PhoneTable } from "../felt/phone-table";
import { Table, type TableProps } from "../felt/table";

/** Whether a media query holds now, told again when that changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const changed = (): void => setMatches(media.matches);
    changed();
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, [query]);
  return matches;
}

/** A tablet or phone that stands upright. */
export const UPRIGHT = "(max-width: 900px) and (orientation: portrait)";

/** A phone that stands upright, or a page so low that a whole table would be too small: it shows one box at a time. */
const PHONE = "(max-width: 520px) and (orientation: portrait), (max-height: 520px)";

interface FittedTableProps extends Omit<TableProps, "side"> {
  /** From which side of the table it is drawn. */
  from: "dealer" | "pit";
}

const SIDES = {
  dealer: { across: "dealer", upright: "portrait" },
  pit: { across: "pit", upright: "portrait-pit" },
} as const;

/** Drawn for the screen, not scaled to it. */
export function FittedTable({ from, ...props }: FittedTableProps) {
  const upright = useMedia(UPRIGHT);
  const Felt = useMedia(PHONE) ? PhoneTable : Table;
  return <Felt {...props} side={SIDES[from][upright ? "upright" : "across"]} />;
}
