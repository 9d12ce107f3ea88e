// Where a key leads to among the steps of a file.
import type { StudioFileView } from "../view";

/** The step that a key leads to from `at`; null for a key that leads nowhere. */
export function target(file: StudioFileView, at: number, key: string, shift: boolean): number | null {
  const { steps, findings } = file;
  const last = steps.length - 1;
  switch (key) {
    case "ArrowRight":
      return shift ? roundAfter(file, at) : Math.min(at + 1, last);
    case "ArrowLeft":
      return shift ? roundBefore(file, at) : Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    case "f":
      return pictureFrom(file, at, shift);
    case "h":
      return following(file, at, (_, step) => step.lanes.includes("holds"));
    case "d":
      return following(file, at, (_, step) => step.what === "decision");
    case "n":
    case "p": {
      // Each step once: what follows from one line can be named in several places of the list.
      const places = [...new Set(findings.map((finding) => finding.step))];
      const here = places.indexOf(at);
      const next = key === "n" ? here + 1 : here < 0 ? places.length - 1 : here - 1;
      return places[next] ?? null;
    }
    default:
      return null;
  }
}

function roundAfter({ steps }: StudioFileView, at: number): number {
  const next = steps.findIndex((step, index) => index > at && step.round !== steps[at]?.round);
  return next < 0 ? steps.length - 1 : next;
}

/** The beginning of this round, or of the one before where it is there already. */
function roundBefore({ steps }: StudioFileView, at: number): number {
  const round = steps[Math.max(at - 1, 0)]?.round;
  return Math.max(
    steps.findIndex((step) => step.round === round),
    0,
  );
}

/** The next step before which a camera's picture was recorded, or the one before; beyond the last the first again. */
function pictureFrom({ steps }: StudioFileView, at: number, back: boolean): number | null {
  const pictured = steps.flatMap((step, index) => (step.cameras.length > 0 ? [index] : []));
  const next = back ? pictured.findLast((step) => step < at) : pictured.find((step) => step > at);
  return next ?? pictured.at(back ? -1 : 0) ?? null;
}

type Wanted = (index: number, step: StudioFileView["steps"][number]) => boolean;

/** The next step that is wanted, from the beginning again after the last. */
function following({ steps }: StudioFileView, at: number, wanted: Wanted): number | null {
  const next = steps.findIndex((step, index) => index > at && wanted(index, step));
  if (next >= 0) return next;
  const first = steps.findIndex((step, index) => wanted(index, step));
  return first < 0 ? null : first;
}
