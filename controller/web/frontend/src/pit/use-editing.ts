// While the pit corrects a card of the running round, dealers wait: the page says again and again that it still does.
import { useEffect, useRef } from "preact/hooks";
import type { Commands } from "../shared/use-commands";

/** Well below the server's four seconds, after which it takes the page for lost. */
const RENEW_MS = 1500;
/** A form that nobody has touched for so long holds the table up no more; the session ends by then, too. */
const IDLE_MS = 110_000;

/** Holds the dealer's keys while `card` is chosen; a page that is reloaded or lost stops saying so, and frees them. */
export function useEditing(card: number | null, commands: Commands): void {
  const say = useRef(commands.quietly);
  say.current = commands.quietly;
  const chosen = useRef(card);
  chosen.current = card;
  const on = card !== null;
  useEffect(() => {
    if (!on) return undefined;
    // After one act of the pit the screen is the dealer's again, who cannot say that the pit has finished.
    const quietly = say.current;
    let touched = performance.now();
    const touch = (): void => {
      touched = performance.now();
    };
    const renew = (): void => {
      if (performance.now() - touched < IDLE_MS) {
        void quietly([{ do: "editing", on: true, card: chosen.current }]);
      }
    };
    renew();
    const timer = setInterval(renew, RENEW_MS);
    addEventListener("pointerdown", touch);
    addEventListener("keydown", touch);
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", touch);
      removeEventListener("keydown", touch);
      void quietly([{ do: "editing", on: false, card: null }]);
    };
  }, [on]);
}
