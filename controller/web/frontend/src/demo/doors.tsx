// The demo's first page: four ways to begin, over a table that already runs.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { type Act, type At, pitPage, signIn } from "../server/http";
import { Panel } from "../shared/dialog";
import type { TableView, Words } from "../view";
import { callFault } from "./faults";

const PIT = "demo-pit";
const SEEN = "stand17.doors";

interface Props {
  view: TableView;
  demoPin: string;
  off: boolean;
  onAct: (act: Act) => void;
  onBreak: () => void;
  onClose: () => void;
}

/** Whether nobody has gone through a door in this tab yet. */
export const atTheDoors = (): boolean => sessionStorage.getItem(SEEN) === null;

/** Deal, be the pit, break something, replay; or just watch. */
export function Doors({ view, demoPin, off, onAct, onBreak, onClose }: Props) {
  const i18n = useI18n();
  const [refused, setRefused] = useState<Words | null>(null);
  const close = (): void => {
    sessionStorage.setItem(SEEN, "1");
    onClose();
  };
  const deal = (): void => {
    onAct({ do: "autoplay", on: false });
    close();
  };
  const asPit = async (seat: At, page: string, then: () => void): Promise<void> => {
    const { answer, refusal } = await signIn(seat, { actor: PIT, pin: demoPin }, page);
    setRefused(refusal);
    if (answer) then();
  };
  const bePit = async (): Promise<void> => {
    sessionStorage.setItem(SEEN, "1");
    // Something to answer: the simulated pit leaves it alone.
    await callFault("wrong_payout", true);
    location.assign(pitPage());
  };
  const breakIt = (): void => {
    sessionStorage.setItem(SEEN, "1");
    onBreak();
  };
  const replay = (): void => {
    sessionStorage.setItem(SEEN, "1");
    location.assign(`/replay?round=${view.round - 1}`);
  };
  // A round is played again once it has ended: before the second one there is none.
  const noRound = view.round < 2;
  return (
    <Panel title={i18n.text("ui.doors_title")} size="wide" onCancel={close}>
      <p class="quiet">{i18n.text(view.autoplay ? "ui.doors_hint" : "ui.doors_hint_manual")}</p>
      <ul class="doors grid">
        <Door name="deal" off={off || view.autoplay === null} onPress={deal} />
        <Door name="pit" off={off} onPress={() => void asPit("screen", pitPage(), () => void bePit())} />
        <Door name="break" off={off || view.faults.length === 0} onPress={breakIt} />
        <Door
          name="replay"
          off={noRound}
          note={noRound ? "ui.door_replay_later" : null}
          onPress={() => void asPit("pit", "", replay)}
        />
      </ul>
      {refused && <p class="problem">{i18n.say(refused)}</p>}
    </Panel>
  );
}

interface DoorProps {
  name: "deal" | "pit" | "break" | "replay";
  off: boolean;
  note?: string | null;
  onPress: () => void;
}

function Door({ name, off, note = null, onPress }: DoorProps) {
  const i18n = useI18n();
  return (
    <li>
      <button
        type="button"
        class="plain door grid gap-8 whole-width whole-height to-left"
        data-door={name}
        disabled={off}
        onClick={onPress}
      >
        <b>{i18n.text(`ui.door_${name}`)}</b>
        <span class="size-16">{i18n.text(note ?? `ui.door_${name}_hint`)}</span>
      </button>
    </li>
  );
}
