// What of the shift goes beyond chance: payouts that differ, cards read wrongly or less surely, and who takes the time.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import { fetchJson } from "../server/fetched";
import type { DifferingGroup, Patterns as Found, SeveralDays as Several } from "../view";
import { Heads } from "./heads";

/** Journals of a month are read for up to two minutes. */
const PATIENCE_MS = 130_000;

/** The same over all days that are kept beside this one; read when somebody asks for it. */
export function SeveralDays() {
  const i18n = useI18n();
  const [reads, setReads] = useState(false);
  const [several, setSeveral] = useState<Several | null>(null);
  const ask = (): void => {
    setReads(true);
    void fetchJson<Several>("/api/patterns", PATIENCE_MS).then((answer) => {
      if (answer) setSeveral(answer);
      setReads(false);
    });
  };
  return (
    <>
      <figure data-pattern="days">
        <button type="button" class="plain" disabled={reads} onClick={ask}>
          {i18n.text("ui.pattern_days")}
        </button>{" "}
        <span role="status">
          {reads
            ? i18n.text("ui.loading")
            : several &&
              i18n.text("ui.pattern_days_of", { days: several.days, tables: several.tables.join(", ") })}
          {several && several.left_out.length > 0 && (
            <b class="differs">
              {" "}
              ! {i18n.text("ui.pattern_left_out", { files: several.left_out.join(", ") })}
            </b>
          )}
        </span>
      </figure>
      {several && <Patterns found={suspect(several.found)} dated />}
    </>
  );
}

/** A month has hundreds of shoes: those beyond chance. */
const suspect = (found: Found): Found => ({
  ...found,
  shoes: found.shoes.filter((row) => row.one_in !== null || row.low_one_in !== null),
});

/** Four tables; what chance alone would hardly make is marked, with how seldom it would; `dated` says which day's shoe. */
export function Patterns({ found, dated = false }: { found: Found; dated?: boolean }) {
  const i18n = useI18n();
  const chance = (oneIn: number | null) =>
    oneIn !== null && (
      <b class="differs">! {i18n.text("ui.pattern_one_in", { count: i18n.number(oneIn) })}</b>
    );
  const seconds = (spent: number) => spent > 0 && i18n.text("ui.seconds", { seconds: i18n.number(spent, 1) });
  const of = (hits: number, tries: number): string => i18n.text("ui.pattern_of", { hits, tries });
  return (
    <>
      <Rows
        name="payouts"
        title={i18n.text("ui.pattern_payouts")}
        none={i18n.text("ui.pattern_none")}
        heads={["ui.ledger_difference", "field.amount", "ui.pattern_chance"]}
        rows={found.payouts.map((row) => [
          groupName(row, i18n),
          of(row.differ, row.payouts),
          i18n.money(row.sum.money),
          chance(row.one_in),
        ])}
      />
      <Rows
        name="shoes"
        title={i18n.text("ui.pattern_shoes")}
        heads={["ui.pattern_misread", "ui.rounds_by_hand", "field.p", "ui.pattern_chance"]}
        rows={found.shoes.map((row) => [
          `${dated ? `${row.day} ${row.table} ` : ""}${i18n.text("ui.round_shoe", { shoe: row.shoe })}`,
          of(row.misread, row.cards),
          row.by_hand > 0 && i18n.number(row.by_hand),
          row.percent !== null && (
            <>
              {i18n.text("ui.percent", { percent: i18n.number(row.percent, 2) })}{" "}
              {row.low_one_in !== null && (
                <b class="differs">
                  {i18n.text("ui.pattern_falls")},{" "}
                  {i18n.text("ui.pattern_one_in", { count: i18n.number(row.low_one_in) })}
                </b>
              )}
            </>
          ),
          chance(row.one_in),
        ])}
      />
      <Rows
        name="boxes"
        title={i18n.text("ui.pattern_boxes")}
        heads={["field.action", "ui.pattern_mean_s"]}
        rows={found.boxes.map((row) => [
          i18n.text("ui.box", { box: row.box }),
          i18n.number(row.decisions),
          seconds(row.seconds),
        ])}
      />
      <Rows
        name="dealers"
        title={i18n.text("ui.pattern_dealers")}
        heads={PHASES.map((phase) => `phase.${phase}` as const)}
        rows={found.dealers.map((row) => [
          row.dealer || i18n.text("ui.pattern_median"),
          ...PHASES.map((phase) => seconds(row.seconds[phase] ?? 0)),
        ])}
      />
    </>
  );
}

/** The parts of a round in their order, and how long it waited. */
export const PHASES = ["bets", "deal", "turns", "dealer", "pay", "waits"] as const;

function groupName({ by, name }: DifferingGroup, i18n: I18n): string {
  if (typeof name !== "string") return i18n.value(name);
  if (by === "dealer") return i18n.text("ui.round_dealer", { dealer: name });
  if (by === "box") return i18n.text("ui.box", { box: name });
  return name === "0" ? i18n.text("ui.holder") : i18n.text("detail.BEHIND", { seat: name });
}

interface Props {
  name: string;
  title: string;
  /** What is said where there is no row; without it there is no panel. */
  none?: string;
  heads: readonly string[];
  /** Cells of each row, the first one what it is about; a column without a cell is left out. */
  rows: readonly (readonly ComponentChildren[])[];
}

/** A panel with a table. */
export function Rows({ name, title, none, heads, rows }: Props) {
  const shown = heads.map((_, column) => rows.some((row) => isSaid(row[column + 1])));
  if (!none && !shown.includes(true)) return null;
  return (
    <figure class="panel" data-pattern={name}>
      <figcaption>
        <b>{title}</b> {rows.length === 0 && none}
      </figcaption>
      {rows.length > 0 && (
        <table class="ledger-table">
          <Heads heads={["", ...heads.filter((_, column) => shown[column])]} />
          <tbody>
            {rows.map(([about, ...cells], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the table is made anew as a whole
              <tr key={index}>
                <th scope="row">{about}</th>
                {cells.map(
                  (cell, column) =>
                    shown[column] && (
                      // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                      <td key={column} class="amount">
                        {isSaid(cell) ? cell : "–"}
                      </td>
                    ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </figure>
  );
}

const isSaid = (cell: ComponentChildren): boolean => cell !== null && cell !== undefined && cell !== false;
