// A decision of a hand, by its number.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import type { DecisionRow } from "../../view";
import { ACTIONS } from "../../vocabulary";
import { Choices } from "../choices";
import { ANY_REASON } from "../use-preview";
import { boxFacts, roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

type Made = (typeof ACTIONS)[number] | "never";

/** Lists what the hand decided, the last one chosen beforehand, and asks what it was in truth. */
export function DecisionTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const hands = boxFacts({ subject, facts }).hands.filter((one) => one.decisions.length > 0);
  const [number, setNumber] = useState(subject.hand ?? hands[0]?.hand ?? 1);
  const hand = hands.find((one) => one.hand === number) ?? hands[0];
  const decisions = hand?.decisions ?? [];
  const [nth, setNth] = useState(decisions.at(-1)?.nth ?? 1);
  const [truth, setTruth] = useState<Made | null>(null);
  const entered = decisions.find((one) => one.nth === nth);
  const action = truth === "never" ? null : truth;
  useTrial(
    truth === null || !hand || !entered
      ? null
      : {
          obs: "amend",
          what: "decision",
          box: subject.box,
          hand: hand.hand,
          nth,
          action,
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        },
    onTrial,
  );
  const chooseHand = (next: number): void => {
    setNumber(next);
    setNth(hands.find((one) => one.hand === next)?.decisions.at(-1)?.nth ?? 1);
  };
  return (
    <>
      {hands.length > 1 && (
        <Choices
          legend={i18n.text("ui.which_hand")}
          choices={hands.map((one) => ({
            value: one.hand,
            label: i18n.text("ui.box_hand", { box: subject.box, hand: one.hand }),
          }))}
          chosen={hand?.hand}
          onChoose={chooseHand}
        />
      )}
      <Choices
        legend={i18n.text("ui.which_decision")}
        choices={decisions.map((one) => ({
          value: one.nth,
          label: decisionText(one, i18n),
          name: `nth-${one.nth}`,
        }))}
        chosen={nth}
        onChoose={setNth}
      />
      <h3>{i18n.text("ui.true_decision")}</h3>
      <Choices
        legend={i18n.text("ui.true_decision")}
        choices={[
          ...ACTIONS.filter((action) => action !== entered?.action).map((action) => ({
            value: action as Made,
            label: i18n.text(`key.${action.toUpperCase()}`),
            name: action,
          })),
          { value: "never" as Made, label: i18n.text("ui.never_made"), name: "never" },
        ]}
        chosen={truth ?? undefined}
        onChoose={setTruth}
      />
    </>
  );
}

/** "2. Stand (inferred)". */
function decisionText({ nth, action, known }: DecisionRow, i18n: ReturnType<typeof useI18n>): string {
  const name = action === null ? i18n.text("ui.never_made") : i18n.text(`key.${action.toUpperCase()}`);
  return `${nth}. ${name} (${i18n.text(`ui.known_${known}`)})`;
}
