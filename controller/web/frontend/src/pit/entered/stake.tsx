// The stake that lay there when the bets closed.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { decimals, digitsOf, minorUnits } from "../../i18n/minor-units";
import { ANY_REASON } from "../use-preview";
import { AmountField } from "./amount-field";
import { Bettors } from "./bettors";
import { boxFacts, roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** Asks whose stake it was and how much; 0 is none. One more bettor than was entered may be named. */
export function StakeTruth({ subject, facts, view, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const { seats } = boxFacts({ subject, facts });
  const [seat, setSeat] = useState(subject.seat ?? seats[0]?.seat ?? 0);
  const [typed, setTyped] = useState("");
  const entered = seats.find((one) => one.seat === seat);
  const stake = minorUnits(typed);
  useTrial(
    stake === null
      ? null
      : {
          obs: "amend",
          what: "stake",
          box: subject.box,
          seat,
          stake,
          by,
          reason: ANY_REASON,
          ...roundOf(facts),
        },
    onTrial,
  );
  const behind = Math.max(-1, ...seats.map((one) => one.seat)) + 1;
  return (
    <>
      <Bettors seats={seats} free={[0, behind]} chosen={seat} onChoose={setSeat} />
      <p class="quiet">{i18n.text("ui.entered_stake", { amount: { money: entered?.stake ?? "0.00" } })}</p>
      <div class="chip-keys grid gap-6">
        {view.chips.map(({ value }) => (
          <button
            class="press weight-700 round-10"
            key={value}
            type="button"
            data-chip={value}
            onClick={() => setTyped(decimals((stake ?? 0) + (minorUnits(value) ?? 0), digitsOf(value)))}
          >
            + {i18n.chips(value)}
          </button>
        ))}
      </div>
      <AmountField label={i18n.text("ui.true_stake")} value={typed} onInput={setTyped} />
    </>
  );
}
