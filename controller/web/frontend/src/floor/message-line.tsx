// A line to the dealer: typed, or one of the usual ones; it stands on his screen until he has answered it.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { SmallKey } from "../shared/small-key";
import type { PitTable } from "./pit-table";

/** Sent by name: the dealer reads each in his own language. */
const USUAL = ["COMING", "WAIT"] as const;
const TEXT_MAX = 200;

/** The code of a line that was sent, among what is open at the table. */
export const MESSAGE = "alert.PIT_MESSAGE";

/** The field and its keys, and what was sent and not answered yet. */
export function MessageLine({ table: { view, off, commands } }: { table: PitTable }) {
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
