// The column of a ruling in which the person sees what it changes, and confirms a table that has moved.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";
import { TableMoved } from "./stale-guard";
import type { Ruling } from "./use-ruling";

interface Props {
  ruling: Ruling;
  view: TableView;
  by: string;
  children: ComponentChildren;
}

/** The heading, the question to sign again where the table has moved, and what is changed. */
export function BeforeAndAfter({ ruling, view, by, children }: Props) {
  const i18n = useI18n();
  return (
    <div>
      <h3>{i18n.text("ui.before_and_after")}</h3>
      <TableMoved guard={ruling.guard} view={view} by={by} off={ruling.waits} />
      {children}
    </div>
  );
}
