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

interface PitControlsProps {
  view: TableView;
  off: boolean;
  onActs: (acts: readonly Act[]) => void;
  onByHand: () => void;
  onOpen: (dialog: Dialog) => void;
  onLeave: () => void;
}

/**
 * Why the table waits, then a bar with the list of what waits and the keys of the pit. "Go on" names the devices that
 * are lost: the table goes on without them.
 */
export function PitControls({ view, off, onActs, onByHand, onOpen, onLeave }: PitControlsProps) {
  const i18n = useI18n();
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  const waiting = view.alerts.length + view.doubts.length + (view.unconfirmed_count > 0 ? 1 : 0);
  const keys: readonly [name: string, off: boolean, onPress: () => void][] = [
    ["RESUME", off || view.holds.length === 0, () => onActs([{ do: "resume", without: lost }])],
    ["BY_HAND", off, onByHand],
    ["PUT_RIGHT", off, () => onOpen({ open: "entered", at: { round: view.round } })],
    ["VOID", off, () => onOpen({ open: "void" })],
    ["DEVICES", false, () => onOpen({ open: "devices" })],
    ["LEAVE_PIT", false, onLeave],
  ];
  return (
    <>
      <HoldList view={view} off={off} onOpen={onOpen} />
      <footer class={waiting > 2 ? "bar pit-bar stacked wrap" : "bar pit-bar"}>
        <AlertList
          alerts={view.alerts}
          more={view.alerts_more}
          doubts={view.doubts}
          off={off}
          onSteps={onActs}
          onAlert={(alert) => onOpen({ open: "alert", alert })}
          onDoubt={(doubt) => onOpen({ open: "doubt", doubt })}
        >
          {view.unconfirmed_count > 0 && <NotConfirmed view={view} off={off} onOpen={onOpen} />}
        </AlertList>
        {keys.map(([name, disabled, onPress]) => (
          <button
            key={name}
            type="button"
            class="key fill clip within ground-2 edge-key rounded"
            data-key={name}
            disabled={disabled}
            onClick={onPress}
          >
            <span class="key-text row centred whole-width whole-height weight-750 to-middle">
              <span class="key-label">{i18n.text(`key.${name}`)}</span>
            </span>
          </button>
        ))}
      </footer>
    </>
  );
}
