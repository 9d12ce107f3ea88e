// A card that a camera reads in two ways, the keys for any card, and the pictures of a round.

import { useContext, useEffect, useState } from "preact/hooks";
import { CardFace, SuitSign } from "../felt/cards";
import { useI18n } from "../i18n/i18n";
import { cardName } from "../i18n/sentences";
import { type Act, at, fetchJson, type Observation } from "../server/http";
import { Picture, RankKeys } from "../shared/rank-pad";
import type { CardReading, DoubtRow, RoundPictures as Found, OpenCard, TableView } from "../view";
import { type Rank, rankOf, SUITS, type Suit, suitOf } from "../vocabulary";
import {
  ActDialog,
  ANY_REASON,
  BeforeAndAfter,
  InAlert,
  PreviewTable,
  Reasons,
  RULING_REASONS,
  type RulingReason,
  useRuling,
} from "./ruling";

/** A card as far as it is chosen. */
export interface Choice {
  rank: Rank | null;
  suit: Suit | null;
}

/** What a view's card is, as a choice. */
export const chosenOf = ({ rank, suit }: { rank: string | null; suit: string | null }): Choice => ({
  rank: rankOf(rank),
  suit: suitOf(suit),
});

interface AnyCardProps {
  choice: Choice;
  /** What the table has it for, marked where it stands. */
  recorded?: Choice | undefined;
  onChoose: (choice: Choice) => void;
  /** What follows the thirteenth rank. */
  children?: preact.ComponentChildren;
}

/** The keys of both. */
export function AnyCard({ choice, recorded, onChoose, children }: AnyCardProps) {
  const i18n = useI18n();
  return (
    <>
      <div class="ranks compact grid gap-8">
        <RankKeys
          chosen={choice.rank}
          recorded={recorded?.rank}
          onRank={(rank) => onChoose({ ...choice, rank })}
        />
        {children}
      </div>
      <div class="suits grid gap-8">
        {SUITS.map((suit) => (
          <button
            class="centre edge-key round-10"
            key={suit}
            type="button"
            aria-pressed={suit === choice.suit}
            aria-label={i18n.text(`ui.suit_${suit}`)}
            data-suit={suit}
            onClick={() => onChoose({ ...choice, suit })}
          >
            <SuitSign suit={suit} />
          </button>
        ))}
      </div>
    </>
  );
}

interface ReadingsProps {
  readings: readonly CardReading[];
  /** The code of the card that is chosen, if any. */
  chosen: string | null;
  off?: boolean;
  onChoose: (card: OpenCard) => void;
}

/** A card as cameras and feeds write it. */
export const cardCode = (card: { rank: string | null; suit: string | null }): string =>
  `${card.rank}${card.suit}`;

/** What a camera read before, and what it reads now. */
export const readingsOf = ({ was, seen }: DoubtRow): CardReading[] => [
  { title: { code: "ui.doubt_was", params: {} }, card: was },
  { title: { code: "ui.doubt_seen", params: {} }, card: seen },
];

/** Both side by side, each with its face. */
export function Readings({ readings, chosen, off = false, onChoose }: ReadingsProps) {
  const i18n = useI18n();
  return (
    <div class="both grid gap-10">
      {readings.map(({ title, card }) => (
        <button
          class="row between gap-10 size-17 to-left edge-key"
          key={title.code + JSON.stringify(title.params)}
          type="button"
          aria-pressed={chosen === cardCode(card)}
          data-choice={cardCode(card)}
          disabled={off}
          onClick={() => onChoose(card)}
        >
          <span>{i18n.say(title)}</span>
          <svg class="still" viewBox="-2 -2 66 92" aria-label={cardName(card, i18n)} role="img">
            <CardFace card={card} x={0} y={0} width={60} pick={undefined} />
          </svg>
        </button>
      ))}
    </div>
  );
}

/** Asked for once; that there are none is said. */
export function RoundPictures({ number }: { number: number }) {
  const i18n = useI18n();
  const [pictures, setPictures] = useState<Found | null>(null);
  useEffect(() => {
    setPictures(null);
    void fetchJson<Found>(`/api/rounds/${number}/pictures`).then(setPictures);
  }, [number]);
  return (
    <section class="pictures" aria-label={i18n.text("ui.pictures")}>
      <h2>{i18n.text("ui.pictures")}</h2>
      {pictures?.none && <p class="quiet">{i18n.text(`ui.no_pictures_${pictures.none}`)}</p>}
      {pictures?.pictures.map((one) => (
        <figure key={one.camera}>
          <img class="block whole-width" src={at(one.picture)} alt={one.camera} />
          <figcaption>
            {one.camera} · {i18n.clock(one.at_utc_us, true)}
          </figcaption>
        </figure>
      ))}
    </section>
  );
}

interface CameraDoubtProps {
  doubt: DoubtRow;
  /** The answer that was pressed in the alert; null there for any other card. */
  card?: OpenCard | null | undefined;
  actor: string;
  view: TableView;
  off: boolean;
  /** `seq` is the table that the person has confirmed. */
  onAct: (act: Act, seq: number) => void;
  onCancel: () => void;
}

const NONE: Choice = { rank: null, suit: null };

/**
 * The question, the picture and what an answer would change. Whoever answers second is told that nobody asks
 * any more.
 */
export function CameraDoubt({ doubt, card, actor, view, off, onAct, onCancel }: CameraDoubtProps) {
  const i18n = useI18n();
  const [choice, setChoice] = useState(card ? chosenOf(card) : NONE);
  const [reason, setReason] = useState<RulingReason | null>(null);
  const inAlert = useContext(InAlert);
  const asked = view.doubts.find((one) => sameQuestion(one, doubt));
  const fact = rulingOf(doubt, choice, actor, reason ?? ANY_REASON);
  const ruling = useRuling(rulingOf(doubt, choice, actor, ANY_REASON), view, off);
  const act = actOf(doubt, choice, fact, reason);
  return (
    <ActDialog
      title={i18n.text("ui.doubt_title")}
      size="wide"
      ready={act !== null && asked !== undefined && ruling.sound}
      onApply={() => act && onAct(act, ruling.guard.seen.seq)}
      onCancel={onCancel}
    >
      {!inAlert && <p class="quiet">{i18n.say(doubt.text)}</p>}
      <div class="doubt grid">
        {!inAlert && <Picture path={asked?.picture ?? null} note={null} aimed />}
        <div>
          {!inAlert && (
            <>
              <Readings
                readings={readingsOf(doubt)}
                chosen={cardCode(choice)}
                onChoose={(one) => setChoice(chosenOf(one))}
              />
              <h3>{i18n.text("ui.doubt_other")}</h3>
            </>
          )}
          {!card && <AnyCard choice={choice} onChoose={setChoice} />}
          <h3>{i18n.text("ui.reason")}</h3>
          <Reasons reasons={RULING_REASONS} chosen={reason} onChoose={setReason} />
        </div>
        <BeforeAndAfter ruling={ruling} view={view} by={actor}>
          {!asked && <Over doubt={doubt} />}
          {fact ? (
            <PreviewTable preview={ruling.preview} />
          ) : (
            <p class="quiet">{i18n.text(whole(choice) ? "ui.doubt_camera_only" : "ui.doubt_choose")}</p>
          )}
        </BeforeAndAfter>
      </div>
    </ActDialog>
  );
}

/** Somebody else has answered meanwhile, or the camera has seen it by itself. */
function Over({ doubt }: { doubt: DoubtRow }) {
  const i18n = useI18n();
  const both = { was: cardCode(doubt.was), seen: cardCode(doubt.seen) };
  return <p class="problem">{i18n.text("refused.DOUBT_OVER", both)}</p>;
}

/** A choice of which nothing is missing; null until then. */
function whole({ rank, suit }: Choice): { rank: Rank; suit: Suit } | null {
  return rank !== null && suit !== null ? { rank, suit } : null;
}

const sameQuestion = (one: DoubtRow, other: DoubtRow): boolean =>
  JSON.stringify(one.text) === JSON.stringify(other.text);

/** The correction of the table's own card, where that is another one than what was chosen. */
function rulingOf(
  { correct, table }: DoubtRow,
  choice: Choice,
  by: string,
  reason: string,
): Observation | null {
  const truth = whole(choice);
  if (!truth || !table || !correct) return null;
  const right = table.rank === truth.rank && (table.suit === null || table.suit === truth.suit);
  return right ? null : { ...correct, ...truth, by, reason };
}

/** The table's correction reaches the camera by itself; else only the camera learns it. */
function actOf(
  doubt: DoubtRow,
  choice: Choice,
  ruling: Observation | null,
  reason: string | null,
): Act | null {
  if (!whole(choice) || reason === null) return null;
  return ruling ? { do: "observe", obs: ruling } : { ...doubt.name, card: cardCode(choice), reason };
}
