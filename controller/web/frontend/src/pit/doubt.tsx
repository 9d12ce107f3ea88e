// A camera was certain of a card and now reads another one: the pit says which it is. Nothing is sent before "apply".
import { useState } from "preact/hooks";
import { CardFace, SuitSign } from "../felt/card";
import { RankKeys } from "../parts/pad";
import { Picture } from "../parts/picture";
import type { Act, Obs } from "../send";
import type { DoubtRow, OpenCard, TableView } from "../view";
import type { Speech } from "../words";
import { ActDialog, ANY_REASON, Reasons, usePreview } from "./act-dialog";
import { PreviewTable } from "./preview";
import { TableMoved, useSight } from "./sight";

const SUITS = ["c", "d", "h", "s"] as const;

interface Props {
  doubt: DoubtRow;
  actor: string;
  view: TableView;
  off: boolean;
  speech: Speech;
  /** `seq` is the table that the person has confirmed. */
  onAct: (act: Act, seq: number) => void;
  onCancel: () => void;
}

interface Choice {
  rank: string | null;
  suit: string | null;
}

export function CameraDoubt({ doubt, actor, view, off, speech, onAct, onCancel }: Props) {
  const [choice, setChoice] = useState<Choice>({ rank: null, suit: null });
  const [reason, setReason] = useState<string | null>(null);
  const sight = useSight(view);
  const asked = view.doubts.find((one) => sameQuestion(one, doubt));
  const ruling = rulingOf(doubt, choice, actor, reason ?? ANY_REASON);
  const shown = usePreview(rulingOf(doubt, choice, actor, ANY_REASON), view.seq);
  const act = actOf(doubt, choice, ruling, reason);
  const allowed =
    ruling === null ||
    (shown !== null && shown.seq === sight.seen.seq && (shown.disputes || shown.problem === null));
  const ready = act !== null && allowed && asked !== undefined && !sight.moved && !off;
  return (
    <ActDialog
      title={speech.text("ui.doubt_title")}
      size="wide"
      ready={ready}
      speech={speech}
      onApply={() => act && onAct(act, sight.seen.seq)}
      onCancel={onCancel}
    >
      <p class="quiet">{speech.say(doubt.text)}</p>
      <div class="doubt">
        <Picture path={asked?.picture ?? null} note={null} aimed speech={speech} />
        <div>
          <div class="both">
            <Both
              label="ui.doubt_was"
              card={doubt.was}
              choice={choice}
              speech={speech}
              onChoose={setChoice}
            />
            <Both
              label="ui.doubt_seen"
              card={doubt.seen}
              choice={choice}
              speech={speech}
              onChoose={setChoice}
            />
          </div>
          <h3>{speech.text("ui.doubt_other")}</h3>
          <div class="ranks compact">
            <RankKeys
              guesses={[]}
              chosen={choice.rank}
              speech={speech}
              onRank={(rank) => setChoice({ ...choice, rank })}
            />
          </div>
          <Suits chosen={choice.suit} speech={speech} onChoose={(suit) => setChoice({ ...choice, suit })} />
          <h3>{speech.text("ui.reason")}</h3>
          <Reasons chosen={reason} speech={speech} onChoose={setReason} />
        </div>
        <div>
          <h3>{speech.text("ui.before_and_after")}</h3>
          {!asked && (
            <p class="problem">
              {speech.text("refused.DOUBT_OVER", { was: name(doubt.was), seen: name(doubt.seen) })}
            </p>
          )}
          <TableMoved
            sight={sight}
            view={view}
            by={actor}
            off={off || (ruling !== null && shown?.seq !== view.seq)}
            speech={speech}
          />
          {ruling ? (
            <PreviewTable preview={shown} speech={speech} />
          ) : (
            <p class="quiet">{speech.text(isWhole(choice) ? "ui.doubt_camera_only" : "ui.doubt_choose")}</p>
          )}
        </div>
      </div>
    </ActDialog>
  );
}

const name = (card: OpenCard): string => `${card.rank}${card.suit}`;

const isWhole = (choice: Choice): boolean => choice.rank !== null && choice.suit !== null;

const sameQuestion = (one: DoubtRow, other: DoubtRow): boolean =>
  JSON.stringify(one.text) === JSON.stringify(other.text);

/** The correction of the table's own card, where that is another one than what was chosen. */
function rulingOf({ correct, table }: DoubtRow, choice: Choice, by: string, reason: string): Obs | null {
  if (!isWhole(choice) || !table || correct?.do !== "observe") return null;
  const right = table.rank === choice.rank && (table.suit === null || table.suit === choice.suit);
  return right ? null : { ...correct.obs, rank: choice.rank, suit: choice.suit, by, reason };
}

/** The table's correction reaches the camera by itself; else only the camera is told. */
function actOf(doubt: DoubtRow, choice: Choice, ruling: Obs | null, reason: string | null): Act | null {
  if (!isWhole(choice) || reason === null || doubt.name.do !== "name") return null;
  return ruling
    ? { do: "observe", obs: ruling }
    : { ...doubt.name, card: `${choice.rank}${choice.suit}`, reason };
}

interface BothProps {
  label: string;
  card: OpenCard;
  choice: Choice;
  speech: Speech;
  onChoose: (choice: Choice) => void;
}

function Both({ label, card, choice, speech, onChoose }: BothProps) {
  const chosen = choice.rank === card.rank && choice.suit === card.suit;
  return (
    <button
      type="button"
      aria-pressed={chosen}
      data-choice={name(card)}
      onClick={() => onChoose({ rank: card.rank, suit: card.suit })}
    >
      <span>{speech.text(label)}</span>
      <svg viewBox="-2 -2 66 92" aria-label={name(card)} role="img">
        <CardFace card={card} x={0} y={0} width={60} onPick={undefined} />
      </svg>
    </button>
  );
}

interface SuitsProps {
  chosen: string | null;
  speech: Speech;
  onChoose: (suit: string) => void;
}

function Suits({ chosen, speech, onChoose }: SuitsProps) {
  return (
    <div class="suits">
      {SUITS.map((suit) => (
        <button
          key={suit}
          type="button"
          aria-pressed={suit === chosen}
          aria-label={speech.text(`ui.suit_${suit}`)}
          data-suit={suit}
          onClick={() => onChoose(suit)}
        >
          <SuitSign suit={suit} />
        </button>
      ))}
    </div>
  );
}
