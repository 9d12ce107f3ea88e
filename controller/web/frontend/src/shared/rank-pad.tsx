// The pad on which a person says which card it is.
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import type { Pad } from "../view";
import { RANKS, type Rank } from "../vocabulary";
import { Picture } from "./picture";
import { RankKeys } from "./rank-keys";
import { Sheet } from "./sheet";

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

interface Props {
  pad: Pad;
  off: boolean;
  onAct: (act: Act) => void;
  onCall: () => void;
  /** Null where the question has to be answered before anything else. */
  onClose: (() => void) | null;
}

/** A key for each rank, and for what is none. */
export function RankPad({ pad, off, onAct, onCall, onClose }: Props) {
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
