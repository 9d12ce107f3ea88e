// Amounts between decimal strings and the minor units that observations carry.

/** "22,5" and "22.50" as 2250; null where it is no amount. No float is made on the way. */
export function minorUnits(typed: string): number | null {
  const parts = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(typed.trim());
  return parts ? Number(`${parts[1]}${(parts[2] ?? "").padEnd(2, "0")}`) : null;
}

/** 2250 as "22.50", as amounts stand on their way to a screen. */
export const decimals = (minor: number): string =>
  `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`;
