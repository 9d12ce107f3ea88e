// The pad of ranks with the camera's picture beside it.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { type Act, at } from "../server/http";
import type { Pad } from "../view";
import { RANKS, type Rank } from "../vocabulary";
import { Sheet } from "./dialog";

interface PictureProps {
  /** Where to get it; null where there is none. */
  path: string | null;
  note: string | null;
  /** The card that is meant lies in the middle: a frame says so. */
  aimed?: boolean;
}

/** The picture, or that there is none; a path that could not be loaded counts as none. */
export function Picture({ path, note, aimed = false }: PictureProps) {
  const i18n = useI18n();
  const [failed, setFailed] = useState<string | null>(null);
  const shown = path !== null && path !== failed;
  return (
    <figure
      class={
        aimed && shown
          ? "picture aimed centre clip to-middle ground-0 edge round-12 within"
          : "picture centre clip to-middle ground-0 edge round-12"
      }
    >
      {shown ? (
        <img
          class="block whole-width"
          src={at(path)}
          alt={i18n.text("ui.picture")}
          onError={() => setFailed(path)}
        />
      ) : (
        <p class="quiet">{i18n.text("ui.picture_none")}</p>
      )}
      {note && <figcaption class="size-15 soft">{note}</figcaption>}
    </figure>
  );
}

interface RankKeysProps {
  guesses?: Pad["guesses"];
  /** Where a rank is chosen and can be changed; left out where a press acts at once. */
  chosen?: Rank | null;
  /** What the table has the card for. */
  recorded?: Rank | null | undefined;
  onRank: (rank: Rank) => void;
}

/** A guessed rank is marked with "?" and never looks like a chosen one. */
export function RankKeys({ guesses = [], chosen, recorded, onRank }: RankKeysProps) {
  const i18n = useI18n();
  return (
    <>
      {RANKS.map((rank) => {
        const percent = guesses.find(([guess]) => guess === rank)?.[1];
        return (
          <button
            key={rank}
            type="button"
            class={look(chosen === rank, percent !== undefined)}
            data-rank={rank}
            data-recorded={rank === recorded || undefined}
            aria-pressed={chosen === undefined ? undefined : chosen === rank}
            aria-label={percent === undefined ? undefined : i18n.text("ui.guess", { rank, percent })}
            onClick={() => onRank(rank)}
          >
            {rank}
            {percent !== undefined && <small>? {percent} %</small>}
          </button>
        );
      })}
    </>
  );
}

function look(chosen: boolean, guessed: boolean): string {
  if (chosen) return "rank-key first";
  return guessed ? "rank-key guess" : "rank-key";
}

/** The act of the pad's key that a key of the keyboard means (0 is the ten, Escape is no card); null for none. */
export function padAct(pad: Pad, key: string): Act | null {
  const name = key === "0" ? "10" : key.toUpperCase();
  const rank = RANKS.find((one) => one === name);
  if (rank) return withRank(pad.rank_obs, rank);
  return key === "Escape" ? pad.not_a_card : null;
}

/** The act that says which rank it is. */
function withRank(fact: Pad["rank_obs"], rank: Rank): Act {
  return { do: "observe", obs: { ...fact, rank } };
}

interface RankPadProps {
  pad: Pad;
  off: boolean;
  onAct: (act: Act) => void;
  onCall: () => void;
  /** Null where the question has to be answered before anything else. */
  onClose: (() => void) | null;
}

/** A key for each rank, and for what is none. */
export function RankPad({ pad, off, onAct, onCall, onClose }: RankPadProps) {
  const i18n = useI18n();
  return (
    <Sheet title={i18n.say(pad.title)} keys={i18n.text("ui.pad_keys")} onClose={onClose} onCall={onCall}>
      <div class={pad.watched ? "pad watched" : "pad"}>
        {pad.watched && (
          <Picture path={pad.picture} note={pad.guesses.length > 0 ? i18n.text("ui.guess_note") : null} />
        )}
        <fieldset class="ranks grid gap-10" disabled={off}>
          <RankKeys guesses={pad.guesses} onRank={(rank) => onAct(withRank(pad.rank_obs, rank))} />
          <OtherKey act={pad.not_a_card} name="none" label="key.NOT_A_CARD" onAct={onAct} />
          <OtherKey act={pad.face_down} name="down" label="key.FACE_DOWN" onAct={onAct} />
        </fieldset>
      </div>
    </Sheet>
  );
}

interface OtherProps {
  act: Act | null;
  name: "none" | "down";
  label: string;
  onAct: (act: Act) => void;
}

/** What is no rank: there only where the pad has an act for it. */
function OtherKey({ act, name, label, onAct }: OtherProps) {
  const i18n = useI18n();
  if (!act) return null;
  return (
    <button type="button" class="rank-key other" data-rank={name} onClick={() => onAct(act)}>
      {i18n.text(label)}
    </button>
  );
}
