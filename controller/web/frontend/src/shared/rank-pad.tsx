// The pad on which a person says which card it is.
import { useId } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Act } from "../server/commands";
import type { Pad } from "../view";
import { RANKS, type Rank } from "../vocabulary";
import { useOpened } from "./dialog";
import { Picture } from "./picture";
import { RankKeys } from "./rank-keys";

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

/** Beside the table, not over it: the felt, the line and the language stay within reach. */
export function RankPad({ pad, off, onAct, onCall, onClose }: Props) {
  const i18n = useI18n();
  const dialog = useOpened("beside");
  const heading = useId();
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={heading} tabIndex={-1}>
      <header>
        <h2 id={heading}>{i18n.say(pad.title)}</h2>
        <span>{i18n.text("ui.pad_keys")}</span>
        {onClose && (
          <button type="button" class="plain" onClick={onClose}>
            {i18n.text("ui.close")}
          </button>
        )}
        <button type="button" class="plain call" onClick={onCall}>
          {i18n.text("key.CALL_PIT")}
        </button>
      </header>
      <div class={pad.watched ? "pad watched" : "pad"}>
        {pad.watched && (
          <Picture path={pad.picture} note={pad.guesses.length > 0 ? i18n.text("ui.guess_note") : null} />
        )}
        <fieldset class="ranks" disabled={off}>
          <RankKeys guesses={pad.guesses} onRank={(rank) => onAct(withRank(pad.rank_obs, rank))} />
          <OtherKey act={pad.not_a_card} name="none" label="key.NOT_A_CARD" onAct={onAct} />
          <OtherKey act={pad.face_down} name="down" label="key.FACE_DOWN" onAct={onAct} />
        </fieldset>
      </div>
    </dialog>
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
