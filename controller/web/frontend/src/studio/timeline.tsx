// The time line: a lane for each kind of thing that happened, and a slider over all lines.
import { useMemo } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { StudioFileView } from "../view";
import { LANES } from "./bodies";
import { elapsed } from "./moment";

const WIDTH = 1000;
const ROW = 20;

interface Props {
  file: StudioFileView;
  at: number;
  /** The part of the file that is drawn is 1/zoom, around the step. */
  zoom: number;
  onStep: (at: number) => void;
}

/** Lines stand at even distances: a pause of the table would else take most of the room. */
export function Timeline({ file, at, zoom, onStep }: Props) {
  const i18n = useI18n();
  const { steps } = file;
  const count = steps.length;
  const shown = Math.max(Math.ceil(count / zoom), 1);
  const from = Math.min(Math.max(at - Math.floor(shown / 2), 0), count - shown);
  const x = (index: number): number => ((index - from + 0.5) / shown) * WIDTH;
  const step = steps[at];
  const { cameras, findings } = file;
  const lanes = useMemo(
    () => [
      ...LANES.map((lane, row) => (
        <path
          key={lane}
          class={`mark ${lane}`}
          d={rowMarks((index) => steps[index]?.lanes.includes(lane) ?? false, row, from, shown)}
        />
      )),
      ...cameras.map((name, row) => (
        <path
          key={`camera ${name}`}
          class="mark camera"
          d={rowMarks((at) => steps[at]?.cameras.includes(name) ?? false, LANES.length + row, from, shown)}
        />
      )),
    ],
    [steps, cameras, from, shown],
  );
  const lanesCount = LANES.length + cameras.length;
  const looks = useMemo(() => {
    const wanted = new Set(findings.filter((one) => one.weight > 0).map((one) => one.step));
    return rowMarks((index) => wanted.has(index), lanesCount, from, shown);
  }, [findings, from, shown, lanesCount]);
  const rows = lanesCount + 1;
  return (
    <section class="studio-timeline grid" aria-label={i18n.text("studio.timeline")}>
      <ul aria-hidden="true">
        {LANES.map((lane) => (
          <li class="size-14" key={lane}>
            {i18n.text(`studio.lane_${lane}`)}
          </li>
        ))}
        {cameras.map((name) => (
          <li class="size-14" key={`camera ${name}`}>
            {i18n.text("studio.lane_camera", { camera: name })}
          </li>
        ))}
        <li class="size-14">{i18n.text("studio.lane_findings")}</li>
      </ul>
      <svg
        class="whole-width"
        viewBox={`0 0 ${WIDTH} ${rows * ROW}`}
        style={{ height: `${rows * ROW}px` }}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {lanes}
        <path class="mark holds" d={looks} />
        <rect class="now" x={x(at) - 1} y={0} width={2} height={rows * ROW} />
      </svg>
      <input
        class="whole-width press"
        type="range"
        min={0}
        max={count - 1}
        value={at}
        aria-label={i18n.text("studio.timeline")}
        aria-valuetext={i18n.text("studio.step", { line: step?.line ?? 0, time: elapsed(step?.t ?? 0) })}
        onInput={(event) => onStep(Number(event.currentTarget.value))}
      />
    </section>
  );
}

/** The marks of a row as one path: a shift has twenty thousand lines, and no two marks stand in one place. */
function rowMarks(isMarked: (index: number) => boolean, row: number, from: number, shown: number): string {
  let path = "";
  let last = -1;
  for (let index = from; index < from + shown; index++) {
    const x = Math.round(((index - from + 0.5) / shown) * WIDTH);
    if (x === last || !isMarked(index)) continue;
    path += `M${x - 1.5} ${row * ROW + 3}h3v${ROW - 6}h-3z`;
    last = x;
  }
  return path;
}
