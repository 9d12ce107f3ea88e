// How long something has stood: counted on by the server's clock, so that all screens of a floor say the same.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { useShift } from "./shift";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;

/** "0:47": minutes and seconds. */
export function clockOf(us: number): string {
  const seconds = Math.floor(Math.max(0, us) / SECOND_US);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Microseconds since then, each second anew. */
export function useSince(utcUs: number): number {
  const { nowUs } = useShift();
  const [now, setNow] = useState(nowUs);
  useEffect(() => {
    setNow(nowUs());
    const timer = setInterval(() => setNow(nowUs()), 1000);
    return () => clearInterval(timer);
  }, [nowUs]);
  return Math.max(0, now - utcUs);
}

/** Within an hour how long, later since when. */
export function Age({ since }: { since: number }) {
  const i18n = useI18n();
  const us = useSince(since);
  return (
    <time class="age">
      {us < HOUR_US ? clockOf(us) : i18n.text("ui.tile_since", { time: i18n.clock(since) })}
    </time>
  );
}
