// The dialogs over the table, the pit's and the shoe's; one at a time.
import type { Act, Observation } from "../server/commands";
import type { Commands } from "../shared/use-commands";
import { Counted } from "../shoe/closing-count";
import { Limits } from "../shoe/limits";
import { RestCount } from "../shoe/rest-count";
import { ShoePanel } from "../shoe/shoe-panel";
import { VoidShoe } from "../shoe/void-shoe";
import type { Key, TableView } from "../view";
import { assertNever } from "../vocabulary";
import { CameraDoubt } from "./camera-doubt";
import { CorrectCard } from "./correct-card";
import { DevicesPanel } from "./devices-panel";
import type { Dialog } from "./dialog-kinds";
import { PutRight } from "./put-right";
import { SignIn } from "./sign-in";
import { TakeWay } from "./take-way";
import { VoidRound } from "./void-round";

interface Props {
  dialog: Dialog;
  view: TableView;
  off: boolean;
  commands: Commands;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onClose: () => void;
}

/** The dialog that is open; a ruling that the table refuses leaves it open. */
export function Dialogs({ dialog, view, off, commands, onByHand, onOpen, onClose }: Props) {
  const { person } = commands;
  const act = (one: Act, seq: number): void => {
    void commands.run("APPLY", [one], seq).then((done) => done && onClose());
  };
  const order = (one: Act): void => void commands.run("ORDER", [one]);
  const signedIn = (actor: string, session: string): void => {
    commands.setPerson({ actor, role: "pit", session });
    onClose();
  };
  const shoeKey = (key: Key): void => {
    void commands.run(key.key, key.acts).then((done) => done && onClose());
  };
  const frame = { view, off, onCancel: onClose };
  const ruling = {
    ...frame,
    actor: person.actor,
    onApply: (obs: Observation, seq: number): void => act({ do: "observe", obs }, seq),
  };
  const byHand = (): void => {
    onClose();
    onByHand();
  };
  switch (dialog.open) {
    case "sign-in":
      return <SignIn onDone={signedIn} onCancel={onClose} />;
    case "correct":
      return <CorrectCard card={dialog.card} way={dialog.way} {...ruling} />;
    case "told":
      return <PutRight at={dialog.at} {...ruling} />;
    case "way":
      return <TakeWay hold={dialog.hold} way={dialog.way} onByHand={byHand} {...ruling} />;
    case "void":
      return <VoidRound chosen={dialog.box} {...ruling} />;
    case "devices":
      return <DevicesPanel refusal={commands.refusal} onAct={order} {...frame} />;
    case "shoe":
      return <ShoePanel pit={person.role === "pit"} onKey={shoeKey} onOpen={onOpen} {...frame} />;
    case "rest":
      return <RestCount {...ruling} />;
    case "limits":
      return <Limits {...ruling} />;
    case "shoe-void":
      return <VoidShoe {...ruling} />;
    case "counted":
      return <Counted person={person} seq={view.seq} onCancel={onClose} />;
    case "doubt":
      return <CameraDoubt doubt={dialog.doubt} actor={person.actor} onAct={act} {...frame} />;
    default:
      return assertNever(dialog);
  }
}
