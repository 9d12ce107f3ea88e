// Amounts between decimal strings and the minor units that observations carry.

/** "22,5" and "22.50" as 2250; null where it is no amount. No float is made on the way. */
export function minorUnits(typed: string): number | null {
  const parts = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(typed.trim());
  return parts ? Number(`${parts[1]}${(parts[2] ?? "").padEnd(2, "0")}`) : null;
}

/** 2250 as "22.50", as amounts stand on their way to a screen; of a currency without decimals as "2250". */
export function decimals(minor: number, digits = 2): string {
  const unit = 10 ** digits;
  return `${Math.floor(minor / unit)}${digits ? `.${String(minor % unit).padStart(digits, "0")}` : ""}`;
}

/** The decimals with which an amount comes: those of its currency. */
export const digitsOf = (amount: string): number => amount.split(".")[1]?.length ?? 0;
