// A closed round played again by the server: its steps, the one that is looked at, and its picture of the table.
import { useEffect, useState } from "preact/hooks";
import { fetchJson } from "../server/fetched";
import type { StepView, StudioFileView } from "../view";

/** The replay of one round. */
export interface Played {
  file: StudioFileView | null;
  /** The step that is asked for; `view` is drawn as soon as it has come. */
  step: number;
  view: StepView | null;
  /** The server could not play the round. */
  failed: boolean;
  toStep: (step: number) => void;
}

/** A round that the table keeps no more is played from the day's beginning by a process of its own: seconds. */
const PLAYS_MS = 120_000;

/** The first card of a round, where a replay begins; the last step where there is none. */
export const firstCard = (file: StudioFileView): number =>
  Math.max(
    file.steps.findIndex((step) => step.what === "card"),
    0,
  );

/** `asked` is the step that the address names; without one it begins at the first card. */
export function usePlayed(round: number, asked: number | null, toStep: (step: number) => void): Played {
  const [file, setFile] = useState<StudioFileView | null>(null);
  const [failed, setFailed] = useState(false);
  const [view, setView] = useState<StepView | null>(null);
  useEffect(() => {
    setFile(null);
    setView(null);
    setFailed(false);
    void fetchJson<StudioFileView>(`/api/played/${round}`, PLAYS_MS).then((found) => {
      setFile(found);
      setFailed(found === null);
    });
  }, [round]);
  const last = file ? file.steps.length - 1 : 0;
  const step = file ? Math.min(Math.max(asked ?? firstCard(file), 0), last) : 0;
  useEffect(() => {
    if (!file) return undefined;
    let wanted = true;
    void fetchJson<StepView>(`/api/played/${round}/step/${step}`).then((found) => {
      if (wanted && found) setView(found);
    });
    return () => {
      wanted = false;
    };
  }, [file, round, step]);
  return { file, step, view, failed, toStep };
}
