// How hands came out: a sign on its colour, and the word.
import { useI18n } from "../i18n/context";
import type { LedgerRow } from "../view";

type Outcome = LedgerRow["results"][number];
type Look = "pay" | "take" | "push";

const LOOKS: Record<Outcome, Look> = {
  win: "pay",
  blackjack: "pay",
  even_money: "pay",
  push: "push",
  insured: "push",
  void: "push",
  lose: "take",
  bust: "take",
  surrender: "take",
  insurance_lost: "take",
};

const GLYPHS: Record<Look, string> = { pay: "+", take: "−", push: "=" };

/** One word for each hand of the bettor. */
export function Result({ results }: { results: readonly Outcome[] }) {
  const i18n = useI18n();
  return (
    <>
      {results.map((outcome, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two hands of a box may come out alike; only their order tells them apart.
        <span key={index} class="result level gap-6 weight-650">
          <i class={LOOKS[outcome]} aria-hidden="true">
            {outcome === "blackjack" ? "★" : GLYPHS[LOOKS[outcome]]}
          </i>
          {i18n.text(`result.${outcome}`)}
        </span>
      ))}
    </>
  );
}
