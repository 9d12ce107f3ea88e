// How this device draws its pages: what eyes and hands at it need, whoever signs in there.

/** Darker for a dark hall; suits in four colours; totals and stakes larger; the keys mirrored. */
export const LOOKS = ["dim", "suits", "large", "left"] as const;
export type Look = (typeof LOOKS)[number];

const KEPT = "stand17.looks";

/** The looks that are chosen at this device. */
export function keptLooks(): ReadonlySet<Look> {
  const kept = (localStorage.getItem(KEPT) ?? "").split(" ");
  return new Set(LOOKS.filter((look) => kept.includes(look)));
}

/** Puts them on the page: the style sheets do the rest (looks.css). */
export function putOn(looks: ReadonlySet<Look>): void {
  document.documentElement.dataset.looks = [...looks].join(" ");
}

/** Chooses a look, or no longer; gives what is chosen now, for the next start too. */
export function toggled(look: Look): ReadonlySet<Look> {
  const looks = new Set(keptLooks());
  if (!looks.delete(look)) looks.add(look);
  localStorage.setItem(KEPT, [...looks].join(" "));
  putOn(looks);
  return looks;
}
