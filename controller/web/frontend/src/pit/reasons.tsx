// Why a person rules, or has a device do something: one of a few reasons, chosen before anything is sent.
import { useI18n } from "../i18n/context";
import { Choices } from "./choices";

/** Why a card, a box or a round is ruled on. */
export const RULING_REASONS = ["MISREAD", "DEALER_ERROR", "CARD_EXPOSED", "OTHER"] as const;
/** Why a device is locked, unlocked or cleared, or a camera calibrated anew or given another deck. */
export const ORDER_REASONS = ["CARD_STUCK", "SHOE_CHANGE", "BUMPED", "NEW_DECK", "SERVICE", "OTHER"] as const;

/** How an alert was resolved. */
export const ALERT_REASONS = ["CHECKED", "MENDED", "FALSE_ALARM", "OTHER"] as const;

export type AlertReason = (typeof ALERT_REASONS)[number];
/** A table that the pit has stopped itself goes on for a reason of an alert. */
export type RulingReason = (typeof RULING_REASONS)[number] | AlertReason;
export type OrderReason = (typeof ORDER_REASONS)[number];

interface Props<T extends string> {
  reasons: readonly T[];
  chosen: T | null;
  onChoose: (reason: T) => void;
}

/** The reasons of a dialog, none of them chosen beforehand. */
export function Reasons<T extends RulingReason | OrderReason | AlertReason>({
  reasons,
  chosen,
  onChoose,
}: Props<T>) {
  const i18n = useI18n();
  const choices = reasons.map((reason) => ({
    value: reason,
    label: i18n.text(`reason.${reason}`),
    name: reason,
  }));
  return (
    <Choices
      legend={i18n.text("ui.reason")}
      choices={choices}
      chosen={chosen ?? undefined}
      onChoose={onChoose}
    />
  );
}
