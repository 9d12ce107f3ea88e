// A way out that needs no figures: let it stand, a fresh shoe, the shoe out of play, or the card that is owed.

import { FROZEN } from "../floor/freeze";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import type { HoldRow, TableView } from "../view";
import { assertNever } from "../vocabulary";
import { ActDialog, type FactProps } from "./act-dialog";
import type { PlainWay } from "./dialog-kinds";
import { Sign, useSignature } from "./signature";
import { TableMoved, useStaleGuard } from "./stale-guard";
import { ANY_REASON } from "./use-preview";

/** Whether a way asks for a reason and, where the house wants one, for a second person. */
const SIGNED: Record<PlainWay, boolean> = {
  keep: true,
  draw: false,
  shoe: false,
  shuffle: false,
  shoe_void: true,
};

interface Props extends FactProps {
  hold: HoldRow;
  way: PlainWay;
  /** The card is entered by hand. */
  onByHand: () => void;
}

/** Says what the fault is and what will follow, and asks for a reason; one act lifts the hold. */
export function TakeWay({ hold, way, actor, view, off, onApply, onByHand, onCancel }: Props) {
  const i18n = useI18n();
  const signature = useSignature(hold.release === "two");
  const guard = useStaleGuard(view);
  const draws = way === "draw";
  const signs = SIGNED[way];
  const fact = factOf(way, hold, view, actor);
  const apply = (): void => {
    if (fact) onApply(signs ? signature.sign(fact) : fact, guard.seen.seq);
    else onByHand();
  };
  return (
    <ActDialog
      title={hold.code === FROZEN && signs ? i18n.say(hold.title) : i18n.text(`way.${way}`)}
      size="medium"
      ready={!off && !guard.moved && (!signs || signature.ready)}
      onApply={apply}
      onCancel={onCancel}
      {...(draws ? { applyText: i18n.text("key.BY_HAND") } : {})}
    >
      <p>{i18n.say(hold.text)}</p>
      <p class="quiet">{i18n.text(`ui.follows_${way}`)}</p>
      {signs && <Sign signature={signature} released={hold.code === FROZEN} />}
      <TableMoved guard={guard} view={view} by={actor} off={off} />
    </ActDialog>
  );
}

function factOf(way: PlainWay, hold: HoldRow, view: TableView, by: string): Observation | null {
  switch (way) {
    case "keep":
      return { obs: "resume", codes: [hold.code], by, reason: ANY_REASON };
    case "shoe":
      return { obs: "shoe", decks: view.felt.decks };
    case "shuffle":
      return { obs: "shuffle", cards: "all" };
    case "shoe_void":
      return { obs: "shoe_void", by, reason: ANY_REASON };
    case "draw":
      return null;
    default:
      return assertNever(way);
  }
}
