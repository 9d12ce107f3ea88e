// The signature under a ruling: why, and, where the house asks for two people, who else.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";

/** A ruling's reason and second person as far as they are given. */
export interface Signature {
  two: boolean;
  reason: RulingReason | null;
  second: string;
  ready: boolean;
  setReason: (reason: RulingReason) => void;
  setSecond: (name: string) => void;
  /** The fact with reason and second person; a payout has no place for them, its entry says who told it. */
  sign: (fact: Observation) => Observation;
}

/** The signature of `actor`; with `two` another name is needed. */
export function useSignature(actor: string, two: boolean): Signature {
  const [reason, setReason] = useState<RulingReason | null>(null);
  const [second, setSecond] = useState("");
  const other = second.trim();
  const ready = reason !== null && (!two || (other !== "" && other !== actor));
  const sign = (fact: Observation): Observation => {
    if (!isRuling(fact) || reason === null) return fact;
    return { ...fact, reason, ...(two ? { second: other } : {}) };
  };
  return { two, reason, second, ready, setReason, setSecond, sign };
}

const isRuling = (fact: Observation): fact is Extract<Observation, { reason: string }> => "reason" in fact;

/** The reasons, and the field for the second person where one is needed. */
export function Sign({ signature }: { signature: Signature }) {
  const i18n = useI18n();
  return (
    <>
      <h3>{i18n.text("ui.reason")}</h3>
      <Reasons reasons={RULING_REASONS} chosen={signature.reason} onChoose={signature.setReason} />
      {signature.two && (
        <label>
          {i18n.text("ui.second")}
          <input
            name="second"
            maxLength={40}
            value={signature.second}
            onInput={(event) => signature.setSecond(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
