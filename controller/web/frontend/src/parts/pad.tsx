// Thirteen ranks in reading order, never re-ordered, so that hands learn where they are.
import type { Act } from "../send";
import type { Pad } from "../view";
import type { Speech } from "../words";
import { Picture } from "./picture";

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"] as const;

/** The rank that a keyboard key means: 0 is the ten. */
export function rankOfKey(key: string): string | null {
  const rank = key === "0" ? "10" : key.toUpperCase();
  return RANKS.find((one) => one === rank) ?? null;
}

/** The act that says which rank it is. */
export function withRank(act: Act, rank: string): Act {
  return act.do === "observe" ? { ...act, obs: { ...act.obs, rank } } : act;
}

interface KeysProps {
  guesses: Pad["guesses"];
  chosen?: string | null;
  speech: Speech;
  onRank: (rank: string) => void;
}

/** A guessed rank is marked with "?" and never looks like a chosen one. */
export function RankKeys({ guesses, chosen, speech, onRank }: KeysProps) {
  return (
    <>
      {RANKS.map((rank) => {
        const percent = guesses.find(([guess]) => guess === rank)?.[1];
        const look =
          chosen === rank ? "rank-key first" : percent === undefined ? "rank-key" : "rank-key guess";
        const label = percent === undefined ? undefined : speech.text("ui.guess", { rank, percent });
        return (
          <button
            key={rank}
            type="button"
            class={look}
            data-rank={rank}
            aria-label={label}
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

interface Props {
  pad: Pad;
  off: boolean;
  speech: Speech;
  onAct: (act: Act) => void;
  onCall: () => void;
  onClose: (() => void) | null;
}

export function PadSheet({ pad, off, speech, onAct, onCall, onClose }: Props) {
  const { not_a_card: notACard, face_down: faceDown } = pad;
  return (
    <section class="sheet" role="dialog" aria-label={speech.say(pad.title)}>
      <header>
        <h2>{speech.say(pad.title)}</h2>
        <span>{speech.text("ui.pad_keys")}</span>
        {onClose && (
          <button type="button" class="plain" onClick={onClose}>
            {speech.text("ui.close")}
          </button>
        )}
        <button type="button" class="plain call" onClick={onCall}>
          {speech.text("key.CALL_PIT")}
        </button>
      </header>
      <div class={pad.watched ? "pad watched" : "pad"}>
        {pad.watched && (
          <Picture
            path={pad.picture}
            note={pad.guesses.length > 0 ? speech.text("ui.guess_note") : null}
            speech={speech}
          />
        )}
        <fieldset class="ranks" disabled={off}>
          <RankKeys
            guesses={pad.guesses}
            speech={speech}
            onRank={(rank) => onAct(withRank(pad.rank_obs, rank))}
          />
          {notACard && (
            <button type="button" class="rank-key other" data-rank="none" onClick={() => onAct(notACard)}>
              {speech.text("key.NOT_A_CARD")}
            </button>
          )}
          {faceDown && (
            <button type="button" class="rank-key other" data-rank="down" onClick={() => onAct(faceDown)}>
              {speech.text("key.FACE_DOWN")}
            </button>
          )}
        </fieldset>
      </div>
    </section>
  );
}
