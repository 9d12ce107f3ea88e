// The steps in the life of an alert, as commands.
import type { Act } from "../server/commands";
import type { AlertRow } from "../view";

/** A step for each of the alerts that the row joins. */
export function stepsOf(alert: AlertRow, step: "ack" | "assign" | "resolve", note = ""): readonly Act[] {
  return alert.alerts.map((number) => ({ do: "alert", alert: number, step, note }));
}
