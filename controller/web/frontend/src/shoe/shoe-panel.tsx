// The panel of the shoe and its dialogs: rest, limits, closing count, out of play.

import { useEffect, useState } from "preact/hooks";
import { minorUnits, SUIT_SIGNS, useI18n } from "../i18n/i18n";
import { AmountField } from "../pit/entered";
import {
  ActDialog,
  ANY_REASON,
  type FactProps,
  Sign,
  TableMoved,
  useSignature,
  useStaleGuard,
} from "../pit/ruling";
import type { Dialog as OpenDialog } from "../pit/ways";
import { closingCount, type Observation, type Person } from "../server/http";
import { Panel } from "../shared/dialog";
import { PlainKey } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { ClosingCount, Key, TableView } from "../view";
import { RANKS, SUITS } from "../vocabulary";

/** Asks why; a fresh shoe is due from then on. */
export function VoidShoe({ actor, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const two = view.holds.some((hold) => hold.release === "two" && hold.ways.includes("shoe_void"));
  const signature = useSignature(two);
  const guard = useStaleGuard(view);
  const fact: Observation = { obs: "shoe_void", by: actor, reason: ANY_REASON };
  return (
    <ActDialog
      title={i18n.text("key.SHOE_VOID")}
      size="small"
      ready={!off && !guard.moved && signature.ready}
      onApply={() => onApply(signature.sign(fact), guard.seen.seq)}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.follows_shoe_void")}</p>
      <Sign signature={signature} />
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}

const FIELDS = ["stake_min", "stake_max", "stake_step"] as const;
type Field = (typeof FIELDS)[number];

/** Begins with the limits that were entered last. */
export function Limits({ actor, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const [typed, setTyped] = useState<Record<Field, string>>(view.shoe.limits);
  const amount = (field: Field): number | null => minorUnits(typed[field]);
  const [least, most, step] = FIELDS.map(amount);
  const whole = least != null && most != null && step != null;
  const apply = (): void => {
    if (!whole) return;
    onApply({ obs: "limits", stake_min: least, stake_max: most, stake_step: step, by: actor }, view.seq);
  };
  return (
    <ActDialog
      title={i18n.text("ui.limits_title")}
      size="small"
      ready={!off && whole}
      onApply={apply}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.limits_explains")}</p>
      {FIELDS.map((field) => (
        <AmountField
          key={field}
          name={field}
          label={i18n.text(`ui.${field}`)}
          value={typed[field]}
          onValue={(value) => setTyped({ ...typed, [field]: value })}
        />
      ))}
    </ActDialog>
  );
}

type CardName = `${(typeof RANKS)[number]}${(typeof SUITS)[number]}`;

interface RestCountProps {
  view: TableView;
  off: boolean;
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

/** Thirteen ranks by four suits; a card is tapped as often as it is in the rest. */
export function RestCount({ view, off, onApply, onCancel }: RestCountProps) {
  const i18n = useI18n();
  const [counts, setCounts] = useState<ReadonlyMap<CardName, number>>(new Map());
  const [less, setLess] = useState(false);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const tap = (name: CardName): void => {
    const count = Math.max(0, (counts.get(name) ?? 0) + (less ? -1 : 1));
    setCounts(new Map(counts).set(name, count));
    setLess(false);
  };
  const cards = [...counts].flatMap(([name, count]) => Array.from({ length: count }, () => name));
  return (
    <ActDialog
      title={i18n.text("ui.rest_title")}
      size="wide"
      ready={!off}
      onApply={() => onApply({ obs: "shoe_end", cards }, view.seq)}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.rest_explains")}</p>
      <div class="rest-cards grid gap-6">
        {SUITS.flatMap((suit) =>
          RANKS.map((rank) => {
            const name: CardName = `${rank}${suit}`;
            const count = counts.get(name) ?? 0;
            return (
              <button
                key={name}
                type="button"
                class={
                  suit === "d" || suit === "h"
                    ? "rest-card red within weight-700"
                    : "rest-card within weight-700"
                }
                data-rest={name}
                aria-label={`${rank}${SUIT_SIGNS[suit]} ${count}`}
                onClick={() => tap(name)}
              >
                {rank}
                {SUIT_SIGNS[suit]}
                {count > 0 && <b>{count}</b>}
              </button>
            );
          }),
        )}
      </div>
      <div class="rest-total row gap-16">
        <b aria-live="polite">{i18n.text("ui.rest_counted", { count: total })}</b>
        <PlainKey
          data-key="REST_LESS"
          aria-pressed={less}
          disabled={total === 0}
          onClick={() => setLess(!less)}
        >
          {i18n.text("ui.rest_less")}
        </PlainKey>
      </div>
    </ActDialog>
  );
}

interface ClosingCountProps {
  person: Person;
  /** The count is asked for again when the table moves. */
  seq: number;
  off: boolean;
  commands: Commands;
  onCancel: () => void;
}

/** Asks the server, which tells nobody without a session of the pit. */
export function Counted({ person, seq, off, commands, onCancel }: ClosingCountProps) {
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
    <Panel title={i18n.text("ui.counted_title")} size="medium" onCancel={onCancel}>
      {count && (
        <ul class="shoe-state size-18" data-counted={count.open}>
          {!count.open && <li>{i18n.text("ui.counted_none")}</li>}
          {count.open && <li>{i18n.text("ui.counted_missing", { cards: count.missing })}</li>}
          {count.open && <li>{i18n.text("ui.counted_extra", { cards: count.extra })}</li>}
          {count.open && <li>{i18n.text("ui.counted_unread", { count: count.unread })}</li>}
        </ul>
      )}
      {count?.out.map((key) => (
        <PlainKey
          key={key.key}
          data-key={key.key}
          disabled={off}
          onClick={() => void commands.run(key.key, key.acts).then((taken) => taken && onCancel())}
        >
          {i18n.say(key.label)}
        </PlainKey>
      ))}
    </Panel>
  );
}

interface ShoePanelProps {
  view: TableView;
  off: boolean;
  /** Whether the person at this screen is of the pit. */
  pit: boolean;
  onKey: (key: Key) => void;
  onOpen: (dialog: OpenDialog) => void;
  onCancel: () => void;
}

/** What is known of the shoe, a key for whatever can be entered for it now, and the pit's own keys. */
export function ShoePanel({ view, off, pit, onKey, onOpen, onCancel }: ShoePanelProps) {
  const i18n = useI18n();
  const { shoe } = view;
  return (
    <Panel title={i18n.text("ui.shoe_panel", { decks: shoe.decks })} size="medium" onCancel={onCancel}>
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
    </Panel>
  );
}

/** What only the pit may do, and may see. */
function PitKeys({ off, onOpen }: Pick<ShoePanelProps, "off" | "onOpen">) {
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

/** A key with its note; off with the reason in it. */
function ShoeKey({ item, off, onPress }: { item: Key; off: boolean; onPress: () => void }) {
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
