// The dialogs over the table, the pit's, the shoe's and the demo's; one at a time.
import { useState } from "preact/hooks";
import { BreakSomething } from "../demo/break-something";
import { Doors } from "../demo/doors";
import type { Training } from "../demo/training";
import { TrainingPanel } from "../demo/training-panel";
import { useI18n } from "../i18n/context";
import type { Language } from "../i18n/i18n";
import type { Act, Observation } from "../server/commands";
import { CloseKey, Dialog as DialogFrame } from "../shared/dialog";
import { KeysPanel } from "../shared/keys-panel";
import { ScreenPanel } from "../shared/screen-panel";
import type { Commands } from "../shared/use-commands";
import type { Sounds } from "../shared/use-sounds";
import { Counted } from "../shoe/closing-count";
import { Limits } from "../shoe/limits";
import { RestCount } from "../shoe/rest-count";
import { ShoePanel } from "../shoe/shoe-panel";
import { VoidShoe } from "../shoe/void-shoe";
import type { Key, Prompt, SignInAnswer, TableView } from "../view";
import { assertNever } from "../vocabulary";
import { AlertDialog } from "./alert-dialog";
import { MoneyForm, MoneyKeys, type MoneyKind } from "./books/money";
import { CameraDoubt } from "./camera-doubt";
import { DevicesPanel } from "./devices-panel";
import type { Dialog } from "./dialog-kinds";
import { PutRight } from "./put-right";
import type { RulingReason } from "./reasons";
import { WithSecond } from "./second-signs";
import { SignIn } from "./sign-in";
import { TakeWay } from "./take-way";
import { VoidRound } from "./void-round";

interface Props {
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

/** The dialog that is open; a ruling that the table refuses leaves it open. */
export function Dialogs(props: Props) {
  return (
    <WithSecond commands={props.commands}>
      <OpenDialog {...props} />
    </WithSecond>
  );
}

/** Why a payout was put right: its fact has no place for a reason, so a remark on its round says it. */
function remark(obs: Observation, reason: RulingReason, by: string): Act {
  const round = "round" in obs && obs.round ? { round: obs.round } : {};
  return { do: "observe", obs: { obs: "note", text: reason, by, ...round } };
}

interface MoneyProps extends Pick<Props, "view" | "off"> {
  actor: string;
  onAct: (act: Act, seq: number) => void;
  onCancel: () => void;
}

/** The keys of the table's money at the dealer's screen, with the form of the one that was pressed. */
function MoneyDialog({ onCancel, onAct, ...at }: MoneyProps) {
  const i18n = useI18n();
  const [kind, setKind] = useState<MoneyKind | null>(null);
  return (
    <DialogFrame title={i18n.text("key.MONEY")} size="medium" onCancel={onCancel}>
      <MoneyKeys chosen={kind} off={at.off} onChoose={setKind} />
      {kind && (
        <MoneyForm key={kind} kind={kind} float="" onApply={onAct} onCancel={() => setKind(null)} {...at} />
      )}
      <CloseKey onClose={onCancel} />
    </DialogFrame>
  );
}

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
}: Props) {
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
