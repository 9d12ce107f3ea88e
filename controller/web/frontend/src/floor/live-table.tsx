// The chosen table from the pit's side, with the line to its dealer.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import type { Over } from "../pit/dialogs";
import { Freeze } from "../pit/pit-bar";
import { type Chosen, cardSubject } from "../pit/ways";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/instruction-bar";
import { SmallKey } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { DoubtRow, HoldRow, TableView, Tile } from "../view";
import { addressOf, type Go, Link } from "./place";

/** What tells one stop from another of the same code. */
export const holdKey = (hold: HoldRow): string => `${hold.code} ${hold.since_utc_us}`;

/** What tells one camera's question from another. */
export const doubtKey = (doubt: DoubtRow): string => JSON.stringify(doubt.text);

/** Whether what a way was chosen in is still asked. */
export const stillAsked = ({ holds, doubts }: TableView, { alert }: Chosen): boolean =>
  holds.some((hold) => holdKey(hold) === alert) || doubts.some((doubt) => doubtKey(doubt) === alert);

/** The live table as the pit's page has it. */
export interface PitTable extends Pick<Over, "open" | "ruling"> {
  view: TableView;
  /** Nothing may be sent now. */
  off: boolean;
  /** It is played at a controller of its own that cannot be reached: what it asks is answered there. */
  played: Tile | null;
  commands: Commands;
  go: Go;
}

/** Sent by name: the dealer reads each in his own language. */
const USUAL = ["COMING", "WAIT"] as const;
const TEXT_MAX = 200;

/** The code of a line that was sent, among what is open at the table. */
export const MESSAGE = "alert.PIT_MESSAGE";

/** The field and its keys, and what was sent and not answered yet. */
function MessageLine({ table: { view, off, commands } }: { table: PitTable }) {
  const i18n = useI18n();
  const [text, setText] = useState("");
  const send = (line: string): void => {
    const obs = { obs: "message", by: commands.person.actor, text: line } as const;
    void commands.run("MESSAGE", [{ do: "observe", obs }]).then((done) => done && setText(""));
  };
  const waiting = view.alerts.filter((alert) => alert.text.code === MESSAGE && alert.status === "open");
  return (
    <form
      class="message-line flex wrap gap-8 edge-above"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") send(text.trim());
      }}
    >
      <input
        name="message"
        maxLength={TEXT_MAX}
        autocomplete="off"
        aria-label={i18n.text("ui.message")}
        placeholder={i18n.text("ui.message")}
        value={text}
        disabled={off}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {USUAL.map((name) => (
        <SmallKey key={name} data-message={name} disabled={off} onClick={() => send(name)}>
          {i18n.text(`reason.${name}`)}
        </SmallKey>
      ))}
      <button type="submit" class="key-small" data-key="SEND" disabled={off || text.trim() === ""}>
        {i18n.text("key.SEND")}
      </button>
      {waiting.length > 0 && (
        <p class="quiet" data-waits>
          {i18n.text("ui.message_waits", { text: waiting[0]?.text.params.text ?? "" })}
        </p>
      )}
    </form>
  );
}

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
