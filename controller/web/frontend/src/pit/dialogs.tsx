// What lies over a table at a screen: the open dialog, the pit's pad, and what was refused.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Doors } from "../demo/doors";
import { BreakSomething } from "../demo/faults";
import { ruleOf, type Training, TrainingPanel } from "../demo/training";
import { type Language, useI18n } from "../i18n/i18n";
import type { Act, Observation } from "../server/http";
import { BoxSights } from "../shared/camera-view";
import { Dialog as DialogFrame, Panel, RefusedContext, Toast } from "../shared/dialog";
import { PlainKey, useHotkeys } from "../shared/keys";
import { padAct, RankPad } from "../shared/rank-pad";
import { KeysPanel, ScreenPanel } from "../shared/screen-panel";
import { SignInForm } from "../shared/sign-in-form";
import { type Sounds, useSounds } from "../shared/sounds";
import type { Commands } from "../shared/use-commands";
import { Counted, Limits, RestCount, ShoePanel, VoidShoe } from "../shoe/shoe-panel";
import type {
  DeviceRow,
  HoldRow,
  Key,
  LastOrder,
  OrderAct,
  Prompt,
  SessionView,
  SignInAnswer,
  TableView,
  Words,
} from "../view";
import { assertNever } from "../vocabulary";
import { AlertDialog } from "./alerts";
import { CameraDoubt } from "./camera-doubt";
import { MoneyForm, MoneyKeys, type MoneyKind } from "./money";
import { FROZEN } from "./pit-bar";
import { PutRight } from "./put-right";
import {
  ActDialog,
  ANY_REASON,
  Choices,
  type FactProps,
  InAlert,
  ORDER_REASONS,
  type OrderReason,
  PreviewTable,
  Reasons,
  type RulingReason,
  Sign,
  TableMoved,
  usePreview,
  useSignature,
  useStaleGuard,
  WithSecond,
} from "./ruling";
import { allowedWays, type Chosen, type Dialog, needsTwo, type PlainWay } from "./ways";

interface SignInProps {
  /** The PIN of the demo's people, told to whoever tries the demo. */
  demoPin: string;
  onDone: (answer: SignInAnswer) => void;
  onCancel: () => void;
}

/** Asks for id and PIN. The dealer stays signed in; an answer with a grant is good for one act. */
export function SignIn({ demoPin, onDone, onCancel }: SignInProps) {
  const i18n = useI18n();
  return (
    <DialogFrame title={i18n.text("ui.sign_in_pit")} size="small" onCancel={onCancel}>
      {demoPin !== "" && <p class="quiet">{i18n.text("ui.demo_people", { pin: demoPin })}</p>}
      <SignInForm
        actor={demoPin === "" ? "" : "demo-pit"}
        main={{ at: "act", text: i18n.text("ui.sign_in_act") }}
        other={{ at: "pit", text: i18n.text("ui.sign_in_stay") }}
        onDone={onDone}
      >
        <PlainKey onClick={onCancel}>{i18n.text("ui.cancel")}</PlainKey>
      </SignInForm>
    </DialogFrame>
  );
}

/** Whether a way asks for a reason and, where the house wants one, for a second person. */
const SIGNED: Record<PlainWay, boolean> = {
  keep: true,
  draw: false,
  shoe: false,
  shuffle: false,
  shoe_void: true,
};

interface TakeWayProps extends FactProps {
  hold: HoldRow;
  way: PlainWay;
  /** The card is entered by hand. */
  onByHand: () => void;
}

/** Says what the fault is and what will follow, and asks for a reason; one act lifts the hold. */
export function TakeWay({ hold, way, actor, view, off, onApply, onByHand, onCancel }: TakeWayProps) {
  const i18n = useI18n();
  const signature = useSignature(hold.release === "two");
  const guard = useStaleGuard(view);
  const draws = way === "draw";
  const signs = SIGNED[way];
  const fact = factOf(way, hold, view, actor);
  const apply = (): void => {
    if (fact) onApply(signs ? signature.sign(fact) : fact, guard.seen.seq);
    else onByHand();
  };
  return (
    <ActDialog
      title={hold.code === FROZEN && signs ? i18n.say(hold.title) : i18n.text(`way.${way}`)}
      size="medium"
      ready={!off && !guard.moved && (!signs || signature.ready)}
      onApply={apply}
      onCancel={onCancel}
      {...(draws ? { applyText: i18n.text("key.BY_HAND") } : {})}
    >
      <p>{i18n.say(hold.text)}</p>
      <p class="quiet">{i18n.text(`ui.follows_${way}`)}</p>
      {signs && <Sign signature={signature} released={hold.code === FROZEN} />}
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}

function factOf(way: PlainWay, hold: HoldRow, view: TableView, by: string): Observation | null {
  switch (way) {
    case "keep":
      return { obs: "resume", codes: [hold.code], by, reason: ANY_REASON };
    case "shoe":
      return { obs: "shoe", decks: view.felt.decks };
    case "shuffle":
      return { obs: "shuffle", cards: "all" };
    case "shoe_void":
      return { obs: "shoe_void", by, reason: ANY_REASON };
    case "draw":
      return null;
    default:
      return assertNever(way);
  }
}

interface VoidRoundProps extends FactProps {
  /** The box that is chosen beforehand; the whole round without one. */
  chosen?: number | undefined;
}

/**
 * Asks what is void and why, and shows what goes back to whom; what the house forbids is not offered. A preview that does
 * not come keeps nobody from it.
 */
export function VoidRound({ chosen, actor, view, off, onApply, onCancel }: VoidRoundProps) {
  const i18n = useI18n();
  const [box, setBox] = useState<number | null>(chosen ?? null);
  const about = { round: view.round, on: [box === null ? "round" : `box:${box}`] };
  const ways = allowedWays(view, about)?.has(box === null ? "void_round" : "void_box") ?? true;
  const signature = useSignature(needsTwo(view, about));
  const guard = useStaleGuard(view);
  const parts = [
    { value: null, label: i18n.text("ui.whole_round") },
    ...view.boxes
      .filter((one) => one.stake !== null)
      .map((one) => ({ value: one.box, label: i18n.text("ui.box", { box: one.box }) })),
  ];
  const fact: Observation = {
    obs: "void",
    ...(box === null ? {} : { box }),
    by: actor,
    reason: ANY_REASON,
  };
  const preview = usePreview(ways && fact ? [fact] : [], view.seq);
  return (
    <ActDialog
      title={i18n.text("ui.void_title")}
      size="wide"
      ready={!off && !guard.moved && signature.ready && ways}
      onApply={() => onApply(signature.sign(fact), guard.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct grid">
        <div>
          <Choices legend={i18n.text("ui.what_is_void")} choices={parts} chosen={box} onChoose={setBox} />
          {!ways && <p class="problem">{i18n.text("ui.not_in_profile")}</p>}
          <Sign signature={signature} />
        </div>
        <div>
          <h3>{i18n.text("ui.before_and_after")}</h3>
          <TableMoved guard={guard} view={view} by={actor} off={off} />
          {preview && <PreviewTable preview={preview} />}
        </div>
      </div>
    </ActDialog>
  );
}

interface DevicesPanelProps {
  view: TableView;
  off: boolean;
  refusal: Words | null;
  onAct: (act: Act) => void;
  onCancel: () => void;
}

/** Each device with its state, the orders that it takes now, and how the last one went. */
export function DevicesPanel({ view, off, refusal, onAct, onCancel }: DevicesPanelProps) {
  const i18n = useI18n();
  const [reason, setReason] = useState<OrderReason | null>(null);
  const takesOrders = view.devices.some((device) => device.orders.length > 0);
  const spreads = view.devices.some((device) => device.orders.includes("spread"));
  return (
    <Panel title={i18n.text("ui.devices_title")} size="medium" onCancel={onCancel}>
      <ul class="devices stack gap-8">
        {view.devices.map((device) => (
          <Device
            key={device.name}
            device={device}
            off={off || reason === null}
            onOrder={(order) => onAct({ do: "order", device: device.name, order, reason: reason ?? "" })}
          />
        ))}
      </ul>
      {spreads && <p>{i18n.text("ui.spread_how")}</p>}
      {spreads && <BoxSights box={null} />}
      {takesOrders && <h3>{i18n.text("ui.reason")}</h3>}
      {takesOrders && <Reasons reasons={ORDER_REASONS} chosen={reason} onChoose={setReason} />}
      {refusal && <p class="problem">{i18n.say(refusal)}</p>}
    </Panel>
  );
}

type Order = OrderAct["order"];

const ORDERS = [
  "lock",
  "unlock",
  "clear_error",
  "calibrate",
  "enrol",
  "spread",
  "stop_enrol",
] as const satisfies Order[];

const isOrder = (name: string): name is Order => ORDERS.some((order) => order === name);

interface DeviceProps {
  device: DeviceRow;
  off: boolean;
  onOrder: (order: Order) => void;
}

function Device({ device, off, onOrder }: DeviceProps) {
  const i18n = useI18n();
  return (
    <li class="row wrap size-19 edge-below" data-panel={device.name}>
      <b>{device.name}</b>
      <span>{i18n.text(`ui.device_${device.kind}`, { name: device.name })}</span>
      <span class={device.state === "live" ? "" : "bad"}>{i18n.text(`ui.device_${device.state}`)}</span>
      {device.deck && (
        <span class="quiet" data-deck={device.deck}>
          {i18n.text("ui.device_deck", { hash: device.deck.slice(0, 8) })}
        </span>
      )}
      <span class="spring" />
      {device.orders.filter(isOrder).map((order) => (
        <PlainKey key={order} data-order={order} disabled={off} onClick={() => onOrder(order)}>
          {i18n.text(`ui.order_${order}`)}
        </PlainKey>
      ))}
      {device.last_order && <Answer last={device.last_order} />}
    </li>
  );
}

function Answer({ last }: { last: LastOrder }) {
  const i18n = useI18n();
  return (
    <p class={last.done ? "quiet" : "problem"} data-answer>
      {i18n.clock(last.at_utc_us)} {last.by}, {i18n.say(last.order)}: {i18n.say(last.answer)}
    </p>
  );
}

interface DialogsProps {
  dialog: Dialog;
  view: TableView;
  off: boolean;
  commands: Commands;
  demoPin: string;
  sounds: Sounds;
  onLanguage: (language: Language) => void;
  /** What the dealer is asked at this screen; null at the pit's page. */
  prompt: Prompt | null;
  /** The score of whoever deals; a page at which nobody deals has none. */
  training?: Training;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onClose: () => void;
}

/** Why a payout was put right: its fact has no place for a reason, so a remark on its round says it. */
function remark(obs: Observation, reason: RulingReason, by: string): Act {
  const round = "round" in obs && obs.round ? { round: obs.round } : {};
  return { do: "observe", obs: { obs: "note", text: reason, by, ...round } };
}

interface MoneyProps extends Pick<DialogsProps, "view" | "off"> {
  actor: string;
  onAct: (act: Act, seq: number) => void;
  onCancel: () => void;
}

/** The keys of the table's money at the dealer's screen, with the form of the one that was pressed. */
function MoneyDialog({ onCancel, onAct, ...at }: MoneyProps) {
  const i18n = useI18n();
  const [kind, setKind] = useState<MoneyKind | null>(null);
  return (
    <Panel title={i18n.text("key.MONEY")} size="medium" onCancel={onCancel}>
      <MoneyKeys chosen={kind} off={at.off} onChoose={setKind} />
      {kind && (
        <MoneyForm key={kind} kind={kind} float="" onApply={onAct} onCancel={() => setKind(null)} {...at} />
      )}
    </Panel>
  );
}

/** The dialog that is open; a ruling that the table refuses leaves it open. */
function OpenDialog({
  dialog,
  view,
  off,
  commands,
  demoPin,
  sounds,
  onLanguage,
  prompt,
  training,
  onByHand,
  onOpen,
  onClose,
}: DialogsProps) {
  const { person } = commands;
  const act = (one: Act, seq: number): void => {
    void commands.run("APPLY", [one], seq).then((done) => done && onClose());
  };
  const steps = (acts: readonly Act[]): void => {
    void commands.run("APPLY", acts).then((done) => done && onClose());
  };
  const order = (one: Act): void => void commands.run("ORDER", [one]);
  const signedIn = ({ person: pit, grant }: SignInAnswer): void => {
    commands.setPerson({ actor: pit.id, role: "pit", grant: grant || null });
    onClose();
  };
  const shoeKey = (key: Key): void => {
    void commands.run(key.key, key.acts).then((done) => done && onClose());
  };
  const frame = { view, off, onCancel: onClose };
  const ruling = {
    ...frame,
    actor: person.actor,
    onApply: (
      obs: Observation,
      seq: number,
      reason?: RulingReason,
      more: readonly Observation[] = [],
    ): void => {
      // A PIN for one act has nothing left for a remark.
      const remarks = reason && person.grant === null ? [remark(obs, reason, person.actor)] : [];
      const act: Act = more.length > 0 ? { do: "observe_all", obs: [obs, ...more] } : { do: "observe", obs };
      void commands.run("APPLY", [act, ...remarks], seq).then((done) => done && onClose());
    },
  };
  const byHand = (): void => {
    onClose();
    onByHand();
  };
  switch (dialog.open) {
    case "sign-in":
      return <SignIn demoPin={demoPin} onDone={signedIn} onCancel={onClose} />;
    case "entered":
      return <PutRight at={dialog.at} commands={commands} onOpen={onOpen} {...ruling} />;
    case "way":
      return <TakeWay hold={dialog.hold} way={dialog.way} onByHand={byHand} {...ruling} />;
    case "void":
      return <VoidRound chosen={dialog.box} {...ruling} />;
    case "devices":
      return <DevicesPanel refusal={commands.refusal} onAct={order} {...frame} />;
    case "faults":
      return <BreakSomething faults={view.faults} off={off} onRefused={commands.refuse} onClose={onClose} />;
    case "doors":
      return (
        <Doors
          view={view}
          demoPin={demoPin}
          off={off}
          onAct={(one) => void commands.run("AUTOPLAY", [one])}
          onBreak={() => onOpen({ open: "faults" })}
          onClose={onClose}
        />
      );
    case "screen":
      return (
        <ScreenPanel
          sounds={sounds}
          onLanguage={onLanguage}
          onKeys={() => onOpen({ open: "keys" })}
          onClose={onClose}
        />
      );
    case "training":
      return training ? (
        <TrainingPanel
          training={training}
          deals={view.autoplay === false}
          onDeal={() => void commands.run("AUTOPLAY", [{ do: "autoplay", on: false }])}
          onClose={onClose}
        />
      ) : null;
    case "keys":
      return <KeysPanel prompt={prompt} onClose={onClose} />;
    case "shoe":
      return <ShoePanel pit={person.role === "pit"} onKey={shoeKey} onOpen={onOpen} {...frame} />;
    case "rest":
      return <RestCount {...ruling} />;
    case "limits":
      return <Limits {...ruling} />;
    case "shoe-void":
      return <VoidShoe {...ruling} />;
    case "counted":
      return <Counted person={person} seq={view.seq} off={off} commands={commands} onCancel={onClose} />;
    case "money":
      return <MoneyDialog actor={person.actor} onAct={act} {...frame} />;
    case "alert":
      return <AlertDialog alert={dialog.alert} onSteps={steps} onOpen={onOpen} {...frame} />;
    case "doubt":
      return (
        <CameraDoubt doubt={dialog.doubt} card={dialog.card} actor={person.actor} onAct={act} {...frame} />
      );
    default:
      return assertNever(dialog);
  }
}

interface At {
  view: TableView;
  off: boolean;
  session: SessionView;
  commands: Commands;
  prompt: Prompt;
  /** The pit works at this screen. */
  pit: boolean;
  /** It hears the alerts of all tables at once. */
  hearsAll?: boolean;
  training?: Training;
  onLanguage: (language: Language) => void;
  /** What is open when the screen is. */
  first?: Dialog | null;
  /** Whether the alert of an answer is still in sight; where none is, no ruling stands in one. */
  asks?: (chosen: Chosen) => boolean;
}

/** What a screen draws over its table, and how it opens it. */
export interface Over {
  open: (dialog: Dialog | null, within?: Chosen) => void;
  /** A dialog takes the keys. */
  busy: boolean;
  /** The ruling that is open inside an alert. */
  ruling: (Chosen & { form: ComponentChildren }) | null;
  enterByHand: () => void;
  /** The dialog and the pad; where no dialog is open, what was refused last. */
  drawn: ComponentChildren;
}

interface Opened {
  table: string;
  dialog: Dialog;
  within?: Chosen | undefined;
}

/** One at a time; whatever is open stays when the table moves. */
export function useOver({ asks, first = null, hearsAll = false, ...at }: At): Over {
  const { view, off, session, commands, prompt, pit } = at;
  const { knows } = useI18n();
  const [openedAt, setOpened] = useState<Opened | null>(first && { table: view.table, dialog: first });
  const [byHand, setByHand] = useState("");
  const sounds = useSounds({ view, prompt, live: !off, pit, hearsAll });
  const open: Over["open"] = (dialog, within) => setOpened(dialog && { table: view.table, dialog, within });
  const enterByHand = (): void => setByHand(view.table);
  // What was opened over one table goes with it.
  const opened = openedAt?.table === view.table ? openedAt : null;
  const within = opened?.within;
  const dialog = !within || asks?.(within) ? opened?.dialog : undefined;
  const form = dialog && (
    <WithSecond key={within && `${within.alert} ${within.way}`} commands={commands}>
      <OpenDialog
        {...at}
        dialog={dialog}
        demoPin={session.demo_pin}
        sounds={sounds}
        prompt={pit ? null : prompt}
        onByHand={enterByHand}
        onOpen={open}
        onClose={() => open(null)}
      />
    </WithSecond>
  );
  const busy = form !== undefined && !within;
  const { refusal } = commands;
  // Who trains is told the rule at once; at a table that earns money the refusal alone is read faster.
  const rule = view.mode === "simulation" && refusal ? ruleOf(refusal, knows) : null;
  return {
    open,
    busy,
    ruling:
      within && form ? { ...within, form: <InAlert.Provider value={true}>{form}</InAlert.Provider> } : null,
    enterByHand,
    drawn: (
      <>
        {pit && byHand === view.table && <HandPad {...at} busy={busy} onClose={() => setByHand("")} />}
        <RefusedContext.Provider value={{ refusal, notice: view.notice, rule }}>
          {busy ? form : <Toast />}
        </RefusedContext.Provider>
      </>
    ),
  };
}

interface PadProps extends Pick<At, "view" | "off" | "commands"> {
  /** A dialog is open: keys are meant for it. */
  busy: boolean;
  onClose: () => void;
}

/** The pad for cards that no device has reported; it takes the keys that its heading names. */
function HandPad({ view, off, commands, busy, onClose }: PadProps) {
  const enter = (act: Parameters<Commands["run"]>[1][number]): void => void commands.run("pad", [act]);
  useHotkeys((key) => {
    if (busy || off) return false;
    const named = padAct(view.by_hand, key);
    if (named) enter(named);
    else if (key === "Escape") onClose();
    return named !== null || key === "Escape";
  });
  return <RankPad pad={view.by_hand} off={off} onAct={enter} onCall={commands.callPit} onClose={onClose} />;
}
