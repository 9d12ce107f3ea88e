// The shoe's life, entered by key: loaded, cut card, shuffled, at its end; for the pit also limits and the closing count.
import { useI18n } from "../i18n/context";
import type { Dialog as OpenDialog } from "../pit/dialog-kinds";
import { CloseKey, Dialog } from "../shared/dialog";
import type { Key, TableView } from "../view";

interface Props {
  view: TableView;
  off: boolean;
  /** Whether the person at this screen is of the pit. */
  pit: boolean;
  onKey: (key: Key) => void;
  onOpen: (dialog: OpenDialog) => void;
  onCancel: () => void;
}

/** What is known of the shoe, a key for whatever can be entered for it now, and the pit's own keys. */
export function ShoePanel({ view, off, pit, onKey, onOpen, onCancel }: Props) {
  const i18n = useI18n();
  const { shoe } = view;
  return (
    <Dialog title={i18n.text("ui.shoe_panel", { decks: shoe.decks })} size="medium" onCancel={onCancel}>
      <ul class="shoe-state size-18" data-shoe={shoe.state}>
        <li>{i18n.text(`ui.shoe_${shoe.state}`)}</li>
        {shoe.burn_due > 0 && <li>{i18n.text("ui.burn_due", { count: shoe.burn_due })}</li>}
        {shoe.burn_later > 0 && <li>{i18n.text("ui.burn_later", { count: shoe.burn_later })}</li>}
        {view.cut_card && <li>{i18n.text("ui.cut_card")}</li>}
        {shoe.shuffle_due && <li>{i18n.text("ui.shuffle_due")}</li>}
      </ul>
      <div class="shoe-keys grid gap-10">
        {shoe.keys.map((key) => (
          <ShoeKey key={key.key} item={key} off={off} onPress={() => onKey(key)} />
        ))}
        <ShoeKey item={shoe.rest} off={off} onPress={() => onOpen({ open: "rest" })} />
      </div>
      {pit && <PitKeys off={off} onOpen={onOpen} />}
      <CloseKey onClose={onCancel} />
    </Dialog>
  );
}

/** What only the pit may do, and may see. */
function PitKeys({ off, onOpen }: Pick<Props, "off" | "onOpen">) {
  const i18n = useI18n();
  const key = (name: string, text: string, dialog: OpenDialog) => (
    <button
      type="button"
      class="plain row centred gap-4"
      data-key={name}
      disabled={off}
      onClick={() => onOpen(dialog)}
    >
      {i18n.text(text)}
    </button>
  );
  return (
    <section aria-label={i18n.text("ui.pit_only")}>
      <h3>{i18n.text("ui.pit_only")}</h3>
      <div class="shoe-keys grid gap-10">
        {key("LIMITS", "key.LIMITS", { open: "limits" })}
        {key("COUNTED", "key.COUNTED", { open: "counted" })}
        {key("SHOE_VOID", "key.SHOE_VOID", { open: "shoe-void" })}
        {key("MONEY", "key.MONEY", { open: "money" })}
      </div>
    </section>
  );
}

interface KeyProps {
  item: Key;
  off: boolean;
  onPress: () => void;
}

/** A key with its note; off with the reason in it. */
function ShoeKey({ item, off, onPress }: KeyProps) {
  const i18n = useI18n();
  return (
    <button
      type="button"
      class="plain row centred gap-4"
      data-key={item.key}
      disabled={off || !item.enabled}
      onClick={onPress}
    >
      {i18n.say(item.label)}
      {item.note && <small class="size-14">{i18n.say(item.note)}</small>}
    </button>
  );
}
