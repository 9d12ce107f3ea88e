// A camera was certain of a card and now reads another one: the pit says which it is. Nothing is sent before "apply".
import { useContext, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Act, Observation } from "../server/commands";
import { Picture } from "../shared/picture";
import type { DoubtRow, OpenCard, TableView } from "../view";
import type { Rank, Suit } from "../vocabulary";
import { ActDialog, InAlert } from "./act-dialog";
import { AnyCard, type Choice, chosenOf } from "./any-card";
import { BeforeAndAfter } from "./before-and-after";
import { PreviewTable } from "./preview-table";
import { cardCode, Readings, readingsOf } from "./readings";
import { Reasons, RULING_REASONS, type RulingReason } from "./reasons";
import { ANY_REASON } from "./use-preview";
import { useRuling } from "./use-ruling";

interface Props {
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
export function CameraDoubt({ doubt, card, actor, view, off, onAct, onCancel }: Props) {
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
          {fact ? <PreviewTable preview={ruling.preview} /> : <NothingChanges choice={choice} />}
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

function NothingChanges({ choice }: { choice: Choice }) {
  const i18n = useI18n();
  return <p class="quiet">{i18n.text(whole(choice) ? "ui.doubt_camera_only" : "ui.doubt_choose")}</p>;
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
