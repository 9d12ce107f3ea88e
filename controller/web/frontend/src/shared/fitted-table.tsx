// The table in the shape of this screen: across, upright, or on a phone one box of it.
import { PhoneTable } from "../felt/phone-table";
import { Table, type TableProps } from "../felt/table";
import { PHONE, UPRIGHT, useMedia } from "./use-media";

interface Props extends Omit<TableProps, "side"> {
  /** From which side of the table it is drawn. */
  from: "dealer" | "pit";
}

const SIDES = {
  dealer: { across: "dealer", upright: "portrait" },
  pit: { across: "pit", upright: "portrait-pit" },
} as const;

/** Drawn for the screen, not scaled to it. */
export function FittedTable({ from, ...props }: Props) {
  const upright = useMedia(UPRIGHT);
  const Felt = useMedia(PHONE) ? PhoneTable : Table;
  return <Felt {...props} side={SIDES[from][upright ? "upright" : "across"]} />;
}
