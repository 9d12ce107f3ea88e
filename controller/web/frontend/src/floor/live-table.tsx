// The live table from the pit's side: its line, its felt, the keys of the pit, and the line to the dealer.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { cardSubject } from "../pit/entered/subject";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/prompt-of";
import { SmallKey } from "../shared/small-key";
import { Freeze } from "./freeze";
import { Link } from "./link";
import { MessageLine } from "./message-line";
import type { PitTable } from "./pit-table";
import { addressOf } from "./place";

/** On the floor the other keys are on the table's own page. What a press on the felt opens is the ruling on what was pressed; nothing of it is sent before somebody signs. */
export function LiveTable({ table, floor = false }: { table: PitTable; floor?: boolean }) {
  const { view, off, played, open, go } = table;
  const i18n = useI18n();
  const [flipped, setFlipped] = useState(false);
  const prompt = promptOf(view);
  const ruling = (fact: "stake" | "decision" | "peek", box: number, hand?: number): void =>
    open({ open: "entered", at: { fact, box, round: view.round, ...(hand === undefined ? {} : { hand }) } });
  return (
    <section class="live" aria-label={view.table} data-tone={prompt.tone}>
      <header class="row wrap edge-below">
        <b class="text-large">{view.table}</b>
        <span class="quiet">
          {i18n.text("ui.round")} {view.round}
        </span>
        <strong
          class={`text-large weight-800 line tone-${prompt.tone}`}
          aria-live="polite"
          data-line={prompt.line.code}
        >
          {i18n.say(prompt.line)}
        </strong>
        {played && (
          <span class="quiet" data-elsewhere>
            {i18n.text("ui.table_elsewhere", { time: i18n.clock(played.at_utc_us, true) })}
          </span>
        )}
        <span class="spring" />
        {floor ? (
          <Link to={addressOf("tables")} go={go} name="open-table" class="key-small">
            {i18n.text("ui.open_table")}
          </Link>
        ) : (
          <>
            <SmallKey data-key="FLIP" aria-pressed={flipped} onClick={() => setFlipped(!flipped)}>
              {i18n.text("key.FLIP")}
            </SmallKey>
            <Link to={addressOf("rounds")} go={go} name="to-rounds" class="key-small">
              {i18n.text("ui.page_rounds")}
            </Link>
          </>
        )}
        {!played && !floor && (
          <>
            <SmallKey
              data-key="PUT_RIGHT"
              disabled={off}
              onClick={() => open({ open: "entered", at: { round: view.round } })}
            >
              {i18n.text("key.CORRECT")}
            </SmallKey>
            <SmallKey data-key="VOID" disabled={off} onClick={() => open({ open: "void" })}>
              {i18n.text("key.VOID_DOTS")}
            </SmallKey>
          </>
        )}
        {!played && <Freeze table={table} />}
      </header>
      <div class="felt fill low">
        <FittedTable
          view={view}
          prompt={prompt}
          from={flipped ? "dealer" : "pit"}
          onBox={off ? undefined : (box) => ruling("stake", box)}
          onHand={off ? undefined : (box, hand) => ruling("decision", box, hand)}
          onDealer={off ? undefined : () => ruling("peek", 0)}
          onCard={off ? undefined : (card) => open({ open: "entered", at: cardSubject(view, card) })}
        />
      </div>
      {!played && <MessageLine table={table} />}
    </section>
  );
}
