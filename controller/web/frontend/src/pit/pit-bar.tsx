// The pit's keys at the dealer's tablet, and the key that freezes a table.
import { useI18n } from "../i18n/i18n";
import type { Act } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";
import { AlertList, HoldList, NotConfirmed } from "./alerts";
import type { Dialog } from "./ways";

/** The pit's own stop; every other one is ruled on where it is listed. */
export const FROZEN = "FROZEN";

/** One key in the corner: Freeze, or Release while the pit has stopped the table or somebody has called it. */
export function Freeze({
  table: { view, off, commands, open },
}: {
  table: { view: TableView; off: boolean; commands: Commands; open: (dialog: Dialog) => void };
}) {
  const i18n = useI18n();
  const hold = view.holds.find(({ code }) => code === FROZEN);
  const freeze = (): void => void commands.run("FREEZE", [{ do: "freeze", note: "" }]);
  if (hold) {
    return (
      <SmallKey
        class="key-small release"
        data-key="RELEASE"
        disabled={off}
        onClick={() => open({ open: "way", hold, way: "keep" })}
      >
        {i18n.text("key.RELEASE")}
      </SmallKey>
    );
  }
  return (
    <SmallKey class="key-small freeze" data-key="FREEZE" disabled={off} onClick={freeze}>
      {i18n.text("key.FREEZE")}
    </SmallKey>
  );
}

interface PitBarProps {
  view: TableView;
  off: boolean;
  onAct: (act: Act) => void;
  /** Steps of alerts; several where a row joins several. */
  onSteps: (acts: readonly Act[]) => void;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

/**
 * The list of what waits, then the keys of the pit. "Go on" names the devices that are lost: the table goes
 * on without them.
 */
export function PitBar({ view, off, onAct, onSteps, onByHand, onOpen, onLeave }: PitBarProps) {
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  const resume = (): void => onAct({ do: "resume", without: lost });
  const putRight = (): void => onOpen({ open: "entered", at: { round: view.round } });
  const waiting = view.alerts.length + view.doubts.length + (view.unconfirmed_count > 0 ? 1 : 0);
  return (
    <footer class={waiting > 2 ? "bar pit-bar stacked wrap" : "bar pit-bar"}>
      <AlertList
        alerts={view.alerts}
        more={view.alerts_more}
        doubts={view.doubts}
        off={off}
        onSteps={onSteps}
        onAlert={(alert) => onOpen({ open: "alert", alert })}
        onDoubt={(doubt) => onOpen({ open: "doubt", doubt })}
      >
        {view.unconfirmed_count > 0 && <NotConfirmed view={view} off={off} onOpen={onOpen} />}
      </AlertList>
      <PitKey name="RESUME" off={off || view.holds.length === 0} onPress={resume} />
      <PitKey name="BY_HAND" off={off} onPress={onByHand} />
      <PitKey name="PUT_RIGHT" off={off} onPress={putRight} />
      <PitKey name="VOID" off={off} onPress={() => onOpen({ open: "void" })} />
      <PitKey name="DEVICES" off={false} onPress={() => onOpen({ open: "devices" })} />
      <PitKey name="LEAVE_PIT" off={false} onPress={onLeave} />
    </footer>
  );
}

interface KeyProps {
  name: "RESUME" | "BY_HAND" | "PUT_RIGHT" | "VOID" | "DEVICES" | "LEAVE_PIT";
  off: boolean;
  onPress: () => void;
}

function PitKey({ name, off, onPress }: KeyProps) {
  const i18n = useI18n();
  return (
    <button
      type="button"
      class="key fill clip within ground-2 edge-key rounded"
      data-key={name}
      disabled={off}
      onClick={onPress}
    >
      <span class="key-text row centred whole-width whole-height weight-750 to-middle">
        <span class="key-label">{i18n.text(`key.${name}`)}</span>
      </span>
    </button>
  );
}

interface PitControlsProps {
  view: TableView;
  off: boolean;
  commands: Commands;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

/** Why the table waits, over the bar. */
export function PitControls({ view, off, commands, onByHand, onOpen, onLeave }: PitControlsProps) {
  return (
    <>
      <HoldList view={view} off={off} onOpen={onOpen} />
      <PitBar
        view={view}
        off={off}
        onAct={(act) => void commands.run("pit", [act])}
        onSteps={(acts) => void commands.run("pit", acts)}
        onByHand={onByHand}
        onOpen={onOpen}
        onLeave={onLeave}
      />
    </>
  );
}
