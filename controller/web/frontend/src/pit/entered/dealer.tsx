// The dealer's look at the face-down card, and its turning.
import { useI18n } from "../../i18n/context";
import { ANY_REASON } from "../use-preview";
import { roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** The look said the opposite. */
export function PeekTruth({ facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const blackjack = facts.peek !== true;
  useTrial({ obs: "amend", what: "peek", blackjack, by, reason: ANY_REASON, ...roundOf(facts) }, onTrial);
  const name = (yes: boolean): string => i18n.text(yes ? "key.BLACKJACK" : "key.NO_BLACKJACK");
  return <p class="quiet">{i18n.text("ui.true_peek", { told: name(!blackjack), truth: name(blackjack) })}</p>;
}

/** The card was not turned, or not then. */
export function RevealTruth({ facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  useTrial({ obs: "amend", what: "reveal", by, reason: ANY_REASON, ...roundOf(facts) }, onTrial);
  return <p class="quiet">{i18n.text("ui.true_reveal")}</p>;
}
