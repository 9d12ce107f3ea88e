// An answer to the offer of insurance, or of even money.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { minorUnits } from "../../i18n/minor-units";
import type { Observation } from "../../server/commands";
import { Choices } from "../choices";
import { ANY_REASON } from "../use-preview";
import { AmountField } from "./amount-field";
import { Bettors } from "./bettors";
import { boxFacts, roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

const ANSWERS = ["none", "amount", "even_money"] as const;
type Answer = (typeof ANSWERS)[number];

/** Asks whose answer it was, and which: none, so much, or even money. */
export function InsuranceTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [typed, setTyped] = useState("");
  const entered = seats.find((one) => one.seat === seat);
  const stake = answer === "none" ? 0 : minorUnits(typed);
  const trial = (): Observation | null => {
    const place = { box: subject.box, seat, by, reason: ANY_REASON, ...roundOf(facts) };
    if (answer === "even_money") return { obs: "amend", what: "even_money", taken: true, ...place };
    if (answer === "none" && entered?.even_money) {
      return { obs: "amend", what: "even_money", taken: false, ...place };
    }
    if (answer === null || stake === null) return null;
    return { obs: "amend", what: "insurance", stake, ...place };
  };
  useTrial(trial(), onTrial);
  return (
    <>
      <Bettors seats={seats} chosen={seat} onChoose={setSeat} />
      <p class="quiet">
        {entered?.even_money
          ? i18n.text("ui.entered_even_money")
          : i18n.text("ui.entered_insurance", { amount: { money: entered?.insurance ?? "0.00" } })}
      </p>
      <Choices
        legend={i18n.text("ui.true_answer")}
        choices={ANSWERS.map((one) => ({ value: one, label: i18n.text(`ui.answer_${one}`), name: one }))}
        chosen={answer ?? undefined}
        onChoose={setAnswer}
      />
      {answer === "amount" && (
        <AmountField label={i18n.text("ui.true_insurance")} value={typed} onInput={setTyped} />
      )}
    </>
  );
}
