// The dialogs of the pit; one at a time.
import type { Act } from "../send";
import type { Commands } from "../state";
import type { TableView } from "../view";
import type { Speech } from "../words";
import { CorrectCard, type Obs } from "./correct";
import { DevicesPanel } from "./devices";
import { SignIn } from "./sign-in";
import { VoidRound } from "./void-round";

export type Dialog = { open: "sign-in" } | { open: "correct"; card: number } | { open: "void" } | { open: "devices" };

interface Props {
  dialog: Dialog;
  view: TableView;
  off: boolean;
  speech: Speech;
  commands: Commands;
  onClose: () => void;
}

export function Dialogs({ dialog, view, off, speech, commands, onClose }: Props) {
  const { person } = commands;
  const apply = (obs: Obs, seq: number): void => {
    void commands.run("APPLY", [{ do: "observe", obs }], seq).then((done) => done && onClose());
  };
  const shared = { actor: person.actor, view, off, speech, onApply: apply, onCancel: onClose };
  const boxes = view.boxes.filter((box) => box.stake !== null).map((box) => box.box);
  if (dialog.open === "correct") return <CorrectCard card={dialog.card} {...shared} />;
  if (dialog.open === "void") return <VoidRound boxes={boxes} {...shared} />;
  if (dialog.open === "devices") {
    const order = (act: Act): void => void commands.run("ORDER", [act]);
    return <DevicesPanel view={view} off={off} refusal={commands.refusal} speech={speech} onAct={order} onCancel={onClose} />;
  }
  const done = (actor: string, session: string): void => {
    commands.setPerson({ actor, role: "pit", session });
    onClose();
  };
  return <SignIn speech={speech} onDone={done} onCancel={onClose} />;
}
