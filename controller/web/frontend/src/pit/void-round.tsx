// The round, or one box of it, is void: stakes go back, cards stay in the shoe's count.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import type { TableView } from "../view";
import { ActDialog } from "./act-dialog";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { TableMoved, useStaleGuard } from "./stale-guard";

interface Props {
  actor: string;
  view: TableView;
  off: boolean;
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

export function VoidRound({ actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [box, setBox] = useState<number | null>(null);
  const [reason, setReason] = useState<RulingReason | null>(null);
  const guard = useStaleGuard(view);
  const boxes = view.boxes.filter((one) => one.stake !== null).map((one) => one.box);
  const apply = (): void =>
    onApply({ obs: "void", ...(box === null ? {} : { box }), by: actor, reason }, guard.seen.seq);
  return (
    <ActDialog
      title={i18n.text("key.VOID")}
      size="small"
      ready={!off && !guard.moved && reason !== null}
      onApply={apply}
      onCancel={onCancel}
    >
      <div class="reasons" role="radiogroup">
        <button type="button" role="radio" aria-checked={box === null} onClick={() => setBox(null)}>
          {i18n.text("ui.whole_round")}
        </button>
        {boxes.map((one) => (
          <button key={one} type="button" role="radio" aria-checked={box === one} onClick={() => setBox(one)}>
            {i18n.text("ui.box", { box: one })}
          </button>
        ))}
      </div>
      <h3>{i18n.text("ui.reason")}</h3>
      <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}
