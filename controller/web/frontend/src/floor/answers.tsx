// A card that a camera reads in two ways: its picture, both readings as equal answers, and any other card.

import { useI18n } from "../i18n/context";
import { cardCode, Readings, readingsOf } from "../pit/readings";
import { Picture } from "../shared/picture";
import { SmallKey } from "../shared/small-key";
import type { DoubtRow, OpenCard } from "../view";
import { doubtKey, type PitTable } from "./pit-table";

const OTHER = "other";

/** Nothing is sent by an answer: what it would change, and the key that signs it, open below. */
export function Answers({ doubt, table }: { doubt: DoubtRow; table: PitTable }) {
  const i18n = useI18n();
  const alert = doubtKey(doubt);
  const ruling = table.ruling?.alert === alert ? table.ruling : null;
  const answer = (way: string, card: OpenCard | null): void =>
    table.open(ruling?.way === way ? null : { open: "doubt", doubt, card }, { alert, way });
  return (
    <div class="answers" data-doubt={doubt.doubt}>
      <Picture path={doubt.picture} note={null} aimed />
      <Readings
        readings={readingsOf(doubt)}
        chosen={ruling?.way ?? null}
        off={table.off}
        onChoose={(card) => answer(cardCode(card), card)}
      />
      <SmallKey
        data-choice={OTHER}
        aria-pressed={ruling?.way === OTHER}
        disabled={table.off}
        onClick={() => answer(OTHER, null)}
      >
        {i18n.text("ui.doubt_other")}
      </SmallKey>
      {ruling?.form}
    </div>
  );
}
