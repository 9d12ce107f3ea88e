// The chips that this screen has laid, for the way back.
import { useEffect, useState } from "preact/hooks";
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
  const [laid, setLaid] = useState<readonly Act[]>([]);
  useEffect(() => {
    if (!betting) setLaid([]);
  }, [betting]);
  const lay = (selection: Selection, value: string, off: boolean): void => {
    if (!live) return;
    const act = { do: "chip", ...selection, chip: value, off } as const;
    setLaid((before) => [...before, { ...act, off: !off }]);
    void commands.run("chip", [act]);
  };
  const takeBack = (): void => {
    const last = laid.at(-1);
    if (!last) {
      commands.tell({ code: "why.NO_CHIP_TO_TAKE", params: {} });
      return;
    }
    setLaid(laid.slice(0, -1));
    void commands.run("UNDO", [last]);
  };
  return { lay, takeBack };
}
