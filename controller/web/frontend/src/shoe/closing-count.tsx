// What the shoe's closing count missed or found too many, for a signed-in pit alone.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { closingCount, type Person } from "../server/commands";
import { CloseKey, Dialog } from "../shared/dialog";
import type { Commands } from "../shared/use-commands";
import type { ClosingCount } from "../view";

interface Props {
  person: Person;
  /** The count is asked for again when the table moves. */
  seq: number;
  off: boolean;
  commands: Commands;
  onCancel: () => void;
}

/** Asks the server, which tells nobody without a session of the pit. */
export function Counted({ person, seq, off, commands, onCancel }: Props) {
  const i18n = useI18n();
  const [count, setCount] = useState<ClosingCount | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew whenever the table moves.
  useEffect(() => {
    let wanted = true;
    void closingCount(person).then((found) => wanted && setCount(found));
    return () => {
      wanted = false;
    };
  }, [person, seq]);
  return (
    <Dialog title={i18n.text("ui.counted_title")} size="medium" onCancel={onCancel}>
      {count && (
        <ul class="shoe-state size-18" data-counted={count.open}>
          {!count.open && <li>{i18n.text("ui.counted_none")}</li>}
          {count.open && <li>{i18n.text("ui.counted_missing", { cards: count.missing })}</li>}
          {count.open && <li>{i18n.text("ui.counted_extra", { cards: count.extra })}</li>}
          {count.open && <li>{i18n.text("ui.counted_unread", { count: count.unread })}</li>}
        </ul>
      )}
      {count?.out.map((key) => (
        <button
          key={key.key}
          type="button"
          class="plain"
          data-key={key.key}
          disabled={off}
          onClick={() => void commands.run(key.key, key.acts).then((taken) => taken && onCancel())}
        >
          {i18n.say(key.label)}
        </button>
      ))}
      <CloseKey onClose={onCancel} />
    </Dialog>
  );
}
