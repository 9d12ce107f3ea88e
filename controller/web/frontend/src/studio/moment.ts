// When a step was: by the clock where its day is known, else how long after the file began.
import type { I18n } from "../i18n/i18n";

/** 2001 in microseconds: a feed that tells no time of its own counts from 1970. */
const KNOWN_US = 1e15;

/** "22:41:07", or "4:06:55" after the beginning. */
export function moment(t: number, utcUs: number | undefined, i18n: I18n): string {
  return utcUs !== undefined && utcUs > KNOWN_US ? i18n.clock(utcUs, true) : elapsed(t);
}

/** Seconds as hours, minutes and seconds. */
export function elapsed(t: number): string {
  const whole = Math.floor(t);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
