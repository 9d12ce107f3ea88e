// The round, or one box of it, is void: stakes go back, cards stay in the shoe's count.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import type { TableView } from "../view";
import { ActDialog } from "./act-dialog";
import { Choices } from "./choices";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { TableMoved, useStaleGuard } from "./stale-guard";

interface Props {
  actor: string;
  view: TableView;
  off: boolean;
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

/** Asks what is void and why; the whole round is chosen beforehand. */
export function VoidRound({ actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [box, setBox] = useState<number | null>(null);
  const [reason, setReason] = useState<RulingReason | null>(null);
  const guard = useStaleGuard(view);
  const parts = [
    { value: null, label: i18n.text("ui.whole_round") },
    ...view.boxes
      .filter((one) => one.stake !== null)
      .map((one) => ({ value: one.box, label: i18n.text("ui.box", { box: one.box }) })),
  ];
  const apply = (): void => {
    if (reason !== null)
      onApply({ obs: "void", ...(box === null ? {} : { box }), by: actor, reason }, guard.seen.seq);
  };
  return (
    <ActDialog
      title={i18n.text("ui.void_title")}
      size="small"
      ready={!off && !guard.moved && reason !== null}
      onApply={apply}
      onCancel={onCancel}
    >
      <Choices legend={i18n.text("ui.what_is_void")} choices={parts} chosen={box} onChoose={setBox} />
      <h3>{i18n.text("ui.reason")}</h3>
      <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}
