// The chips that this screen has laid, for the way back.
import { useEffect, useRef } from "preact/hooks";
import type { Act } from "../server/commands";
import type { Commands } from "../shared/use-commands";
import type { Selection } from "./selection";

/** Laying chips, and taking the last one back. */
export interface Laid {
  lay: (selection: Selection, value: string, off: boolean) => void;
  takeBack: () => void;
}

/** Sends each chip as it is laid; what was laid is forgotten when the bets close. */
export function useLaid(commands: Commands, live: boolean, betting: boolean): Laid {
  // Nothing of it is shown: as a state it would have the whole screen drawn anew within the tap.
  const laid = useRef<Act[]>([]);
  useEffect(() => {
    if (!betting) laid.current = [];
  }, [betting]);
  const lay = (selection: Selection, value: string, off: boolean): void => {
    if (!live) return;
    const act = { do: "chip", ...selection, chip: value, off } as const;
    laid.current.push({ ...act, off: !off });
    void commands.run("chip", [act]);
  };
  const takeBack = (): void => {
    const last = laid.current.pop();
    if (!last) {
      commands.refuse({ code: "why.NO_CHIP_TO_TAKE", params: {} });
      return;
    }
    void commands.run("UNDO", [last]);
  };
  return { lay, takeBack };
}
