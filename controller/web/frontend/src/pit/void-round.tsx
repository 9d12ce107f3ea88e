// The round, or one box of it, is void: stakes go back, cards stay in the shoe's count.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import { ActDialog, type FactProps } from "./act-dialog";
import { Choices } from "./choices";
import { PreviewTable } from "./preview-table";
import { Sign, useSignature } from "./signature";
import { TableMoved, useStaleGuard } from "./stale-guard";
import { ANY_REASON, usePreview } from "./use-preview";
import { allowedWays, needsTwo } from "./ways";

interface Props extends FactProps {
  /** The box that is chosen beforehand; the whole round without one. */
  chosen?: number | undefined;
}

/**
 * Asks what is void and why, and shows what goes back to whom; what the house forbids is not offered. A preview that does
 * not come keeps nobody from it.
 */
export function VoidRound({ chosen, actor, view, off, onApply, onCancel }: Props) {
  const i18n = useI18n();
  const [box, setBox] = useState<number | null>(chosen ?? null);
  const about = { round: view.round, on: [box === null ? "round" : `box:${box}`] };
  const ways = allowedWays(view, about)?.has(box === null ? "void_round" : "void_box") ?? true;
  const signature = useSignature(needsTwo(view, about));
  const guard = useStaleGuard(view);
  const parts = [
    { value: null, label: i18n.text("ui.whole_round") },
    ...view.boxes
      .filter((one) => one.stake !== null)
      .map((one) => ({ value: one.box, label: i18n.text("ui.box", { box: one.box }) })),
  ];
  const fact: Observation = {
    obs: "void",
    ...(box === null ? {} : { box }),
    by: actor,
    reason: ANY_REASON,
  };
  const preview = usePreview(ways && fact ? [fact] : [], view.seq);
  return (
    <ActDialog
      title={i18n.text("ui.void_title")}
      size="wide"
      ready={!off && !guard.moved && signature.ready && ways}
      onApply={() => onApply(signature.sign(fact), guard.seen.seq)}
      onCancel={onCancel}
    >
      <div class="correct grid">
        <div>
          <Choices legend={i18n.text("ui.what_is_void")} choices={parts} chosen={box} onChoose={setBox} />
          {!ways && <p class="problem">{i18n.text("ui.not_in_profile")}</p>}
          <Sign signature={signature} />
        </div>
        <div>
          <h3>{i18n.text("ui.before_and_after")}</h3>
          <TableMoved guard={guard} view={view} by={actor} off={off} />
          {preview && <PreviewTable preview={preview} />}
        </div>
      </div>
    </ActDialog>
  );
}
