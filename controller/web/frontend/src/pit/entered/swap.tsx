// Two hands whose cards had changed places.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { Choices } from "../choices";
import { ANY_REASON } from "../use-preview";
import { boxFacts, roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** Asks with which hand; the bets and decisions stay where they are. */
export function SwapTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const own = subject.hand ?? boxFacts({ subject, facts }).hands[0]?.hand ?? 1;
  const [other, setOther] = useState<string | null>(null);
  const hands = facts.boxes.flatMap(({ box, hands: held }) =>
    held.map(({ hand }) => ({ box, hand, name: `${box}.${hand}` })),
  );
  const others = hands.filter((one) => one.box !== subject.box || one.hand !== own);
  const found = others.find((one) => one.name === other);
  useTrial(
    found
      ? {
          obs: "swap",
          from: { box: subject.box, hand: own },
          with: { box: found.box, hand: found.hand },
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        }
      : null,
    onTrial,
  );
  return (
    <>
      <p class="quiet">{i18n.text("ui.swap_stays", { box: subject.box, hand: own })}</p>
      <Choices
        legend={i18n.text("ui.swap_with")}
        choices={others.map((one) => ({
          value: one.name,
          label: i18n.text("ui.box_hand", { box: one.box, hand: one.hand }),
          name: `hand-${one.name}`,
        }))}
        chosen={other ?? undefined}
        onChoose={setOther}
      />
    </>
  );
}
