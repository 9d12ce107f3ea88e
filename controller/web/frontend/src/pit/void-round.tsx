// The round, or one box of it, is void: stakes go back, cards stay in the shoe's count.
import { useState } from "preact/hooks";
import type { Obs } from "../send";
import type { TableView } from "../view";
import type { Speech } from "../words";
import { ActDialog, Reasons } from "./act-dialog";
import { TableMoved, useSight } from "./sight";

interface Props {
  boxes: readonly number[];
  actor: string;
  view: TableView;
  off: boolean;
  speech: Speech;
  onApply: (obs: Obs, seq: number) => void;
  onCancel: () => void;
}

export function VoidRound({ boxes, actor, view, off, speech, onApply, onCancel }: Props) {
  const [box, setBox] = useState<number | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const sight = useSight(view);
  const apply = (): void =>
    onApply({ obs: "void", ...(box === null ? {} : { box }), by: actor, reason }, sight.seen.seq);
  return (
    <ActDialog
      title={speech.text("key.VOID")}
      size="small"
      ready={!off && !sight.moved && reason !== null}
      speech={speech}
      onApply={apply}
      onCancel={onCancel}
    >
      <div class="reasons" role="radiogroup">
        <button type="button" role="radio" aria-checked={box === null} onClick={() => setBox(null)}>
          {speech.text("ui.whole_round")}
        </button>
        {boxes.map((one) => (
          <button key={one} type="button" role="radio" aria-checked={box === one} onClick={() => setBox(one)}>
            {speech.text("ui.box", { box: one })}
          </button>
        ))}
      </div>
      <h3>{speech.text("ui.reason")}</h3>
      <Reasons chosen={reason} speech={speech} onChoose={setReason} />
      <TableMoved sight={sight} view={view} by={actor} off={off} speech={speech} />
    </ActDialog>
  );
}
