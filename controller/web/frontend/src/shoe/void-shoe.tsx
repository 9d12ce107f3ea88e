// Nothing more is dealt from this shoe: the pit's ruling, whether a fault has asked for it or not.
import { useI18n } from "../i18n/context";
import { ActDialog, type FactProps } from "../pit/act-dialog";
import { Sign, useSignature } from "../pit/signature";
import { TableMoved, useStaleGuard } from "../pit/stale-guard";
import { ANY_REASON } from "../pit/use-preview";
import type { Observation } from "../server/commands";

/** Asks why; a fresh shoe is due from then on. */
export function VoidShoe({ actor, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const two = view.holds.some((hold) => hold.release === "two" && hold.ways.includes("shoe_void"));
  const signature = useSignature(two);
  const guard = useStaleGuard(view);
  const fact: Observation = { obs: "shoe_void", by: actor, reason: ANY_REASON };
  return (
    <ActDialog
      title={i18n.text("key.SHOE_VOID")}
      size="small"
      ready={!off && !guard.moved && signature.ready}
      onApply={() => onApply(signature.sign(fact), guard.seen.seq)}
      onCancel={onCancel}
    >
      <p class="quiet">{i18n.text("ui.follows_shoe_void")}</p>
      <Sign signature={signature} />
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}
