// What was handed back to a bettor in all.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { minorUnits } from "../../i18n/minor-units";
import { AmountField } from "./amount-field";
import { Bettors } from "./bettors";
import { boxFacts, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** Shows what is due and what was entered, and asks for the truth; what is due stands there beforehand. */
export function PaidTruth({ subject, facts, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const entered = seats.find((one) => one.seat === seat);
  const [typed, setTyped] = useState(entered?.due ?? "");
  const amount = minorUnits(typed);
  const same = entered?.paid != null && amount === minorUnits(entered.paid);
  useTrial(
    amount === null || same ? null : { obs: "paid", box: subject.box, seat, amount, round: facts.round },
    onTrial,
  );
  const choose = (next: number): void => {
    setSeat(next);
    setTyped(seats.find((one) => one.seat === next)?.due ?? "");
  };
  return (
    <>
      <Bettors seats={seats} chosen={seat} onChoose={choose} />
      <p class="quiet">
        {i18n.text("ui.due", { amount: { money: entered?.due ?? "0.00" } })}
        {" · "}
        {entered?.paid
          ? i18n.text("ui.entered_paid", { amount: { money: entered.paid } })
          : i18n.text("ui.entered_nothing_paid")}
        {entered?.how && ` (${i18n.text(`ui.paid_${entered.how}`)})`}
      </p>
      <AmountField label={i18n.text("ui.true_paid")} value={typed} onInput={setTyped} />
    </>
  );
}
