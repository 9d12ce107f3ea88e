// The signature under a ruling: why, and, where the house asks for two people, who else.
import { useContext, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import { ALERT_REASONS, Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { SecondContext, SecondSigns } from "./second-signs";

/** A ruling's reason and second person as far as they are given. */
export interface Signature {
  two: boolean;
  reason: RulingReason | null;
  ready: boolean;
  setReason: (reason: RulingReason) => void;
  /** The fact with its reason; a payout has no place for one, its entry says who entered it. */
  sign: (fact: Observation) => Observation;
}

/** The signature of whoever rules; with `two` another person has to sign, too. */
export function useSignature(two: boolean): Signature {
  const [reason, setReason] = useState<RulingReason | null>(null);
  const { person, needed } = useContext(SecondContext);
  const ready = reason !== null && (!(two || needed) || person !== null);
  const sign = (fact: Observation): Observation =>
    isRuling(fact) && reason !== null ? { ...fact, reason } : fact;
  return { two, reason, ready, setReason, sign };
}

const isRuling = (fact: Observation): fact is Extract<Observation, { reason: string }> => "reason" in fact;

interface Props {
  signature: Signature;
  by?: string;
  /** The pit lets a table go on that it has stopped itself: no card was wrong. */
  released?: boolean;
}

/** The reasons, who signs, and the fields for the second person where one is needed. */
export function Sign({ signature, by, released = false }: Props) {
  const i18n = useI18n();
  const { needed } = useContext(SecondContext);
  return (
    <>
      <h3>{i18n.text("ui.reason")}</h3>
      <Reasons
        reasons={released ? ALERT_REASONS : RULING_REASONS}
        chosen={signature.reason}
        onChoose={signature.setReason}
      />
      {by && (
        <p class="first-signs">
          <b>{by}</b> {i18n.text("ui.signed_in")} ✓
        </p>
      )}
      {signature.two && !needed && <SecondSigns />}
    </>
  );
}
