// The pictures before an alert, and the answers to a card that a camera reads in two ways.

import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { cardCode, Readings, readingsOf } from "../pit/camera-doubt";
import { at, fetchJson } from "../server/http";
import { SmallKey } from "../shared/keys";
import { Picture } from "../shared/rank-pad";
import type { DoubtRow, OpenCard, RoundPictures } from "../view";
import { doubtKey, type PitTable } from "./live-table";

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

/** What a camera recorded in the seconds before an alert, oldest first; of a closed round each leads to its replay. */
export function Before({ round, at: utcUs }: { round: number; at: number }) {
  const i18n = useI18n();
  const [found, setFound] = useState<RoundPictures | null>(null);
  useEffect(() => {
    if (round > 0) void fetchJson<RoundPictures>(`/api/rounds/${round}/before?at=${utcUs}`).then(setFound);
  }, [round, utcUs]);
  if (!found || found.none === "off") return null;
  if (found.none) {
    const why = found.none === "unturned" ? "face_down" : found.none;
    return <p class="quiet">{i18n.text(`ui.no_pictures_${why}`)}</p>;
  }
  const said = (us: number): string =>
    i18n.text("ui.seconds", { seconds: i18n.number(Math.round((us - utcUs) / 1_000_000) || 0) });
  return (
    <div class="before grid gap-6 to-middle" data-before={round}>
      {found.pictures.map(({ camera, picture, at_utc_us }) => (
        <figure key={at_utc_us}>
          <img src={at(picture)} alt={`${camera} ${i18n.clock(at_utc_us, true)}`} />
          <figcaption>{said(at_utc_us)}</figcaption>
        </figure>
      ))}
    </div>
  );
}
