// The dialogs of the pit; one at a time.
import type { Act, Obs } from "../send";
import type { Commands } from "../state";
import type { DoubtRow, TableView } from "../view";
import type { Speech } from "../words";
import { CorrectCard } from "./correct";
import { DevicesPanel } from "./devices";
import { CameraDoubt } from "./doubt";
import { SignIn } from "./sign-in";
import { VoidRound } from "./void-round";

export type Dialog =
  | { open: "sign-in" }
  | { open: "correct"; card: number }
  | { open: "void" }
  | { open: "devices" }
  | { open: "doubt"; doubt: DoubtRow };

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
  const act = (one: Act, seq: number): void => {
    void commands.run("APPLY", [one], seq).then((done) => done && onClose());
  };
  const apply = (obs: Obs, seq: number): void => act({ do: "observe", obs }, seq);
  const shared = { actor: person.actor, view, off, speech, onApply: apply, onCancel: onClose };
  const boxes = view.boxes.filter((box) => box.stake !== null).map((box) => box.box);
  if (dialog.open === "correct") return <CorrectCard card={dialog.card} {...shared} />;
  if (dialog.open === "void") return <VoidRound boxes={boxes} {...shared} />;
  if (dialog.open === "doubt") {
    return (
      <CameraDoubt
        doubt={dialog.doubt}
        actor={person.actor}
        view={view}
        off={off}
        speech={speech}
        onAct={act}
        onCancel={onClose}
      />
    );
  }
  if (dialog.open === "devices") {
    const order = (one: Act): void => void commands.run("ORDER", [one]);
    return (
      <DevicesPanel
        view={view}
        off={off}
        refusal={commands.refusal}
        speech={speech}
        onAct={order}
        onCancel={onClose}
      />
    );
  }
  const done = (actor: string, session: string): void => {
    commands.setPerson({ actor, role: "pit", session });
    onClose();
  };
  return <SignIn speech={speech} onDone={done} onCancel={onClose} />;
}
