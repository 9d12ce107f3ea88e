// What a card was that does not belong to the round: the shoe's count and the next card depend on it.
import { useI18n } from "../i18n/context";
import type { StrikeObservation } from "../view";
import { Choices } from "./choices";

const KINDS = ["extra", "double_read", "boxed", "defective", "foreign"] as const;
export type StruckKind = NonNullable<StrikeObservation["as"]>;

interface Props {
  chosen: StruckKind | undefined;
  onChoose: (kind: StruckKind | null) => void;
}

/** Its kinds as the trade names them; "not said" is the rule when nobody knows. */
export function StruckAs({ chosen, onChoose }: Props) {
  const i18n = useI18n();
  const choices = [null, ...KINDS].map((kind) => ({
    value: kind,
    label: i18n.text(`ui.struck_${kind ?? "unsaid"}`),
    name: kind ?? "unsaid",
  }));
  return (
    <Choices
      legend={i18n.text("ui.struck_as")}
      choices={choices}
      chosen={chosen ?? null}
      onChoose={onChoose}
    />
  );
}
