// Freeze and Release: a stop is done at once, without a question; letting the table go on asks why.

import { useI18n } from "../i18n/context";
import type { Dialog } from "../pit/dialog-kinds";
import { SmallKey } from "../shared/small-key";
import type { Commands } from "../shared/use-commands";
import type { TableView } from "../view";

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
