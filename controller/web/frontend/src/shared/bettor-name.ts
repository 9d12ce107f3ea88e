// How a bettor is called wherever a row or a key has to name him.

/** "3", or "3 +1" for the first bettor behind. */
export const bettorName = ({ box, seat }: { box: number; seat: number }): string =>
  seat === 0 ? String(box) : `${box} +${seat}`;
