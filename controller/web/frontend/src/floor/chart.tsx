// A chart of lines over time. Its library comes with the first one, not with the page.
import { useEffect, useRef } from "preact/hooks";
import type UPlot from "uplot";
import { useI18n } from "../i18n/context";
import "uplot/dist/uPlot.min.css";

/** One line of a chart: its name, its colour, dashed or not; the area between `band` lines is filled. */
export interface Line {
  label: string;
  color: string;
  dash?: number[];
  values: readonly number[];
}

interface Props {
  /** What it shows in one sentence, for those who do not see it. */
  label: string;
  /** Seconds since 1970. */
  at: readonly number[];
  lines: readonly Line[];
  /** The indices of two lines, the upper one first. */
  band?: readonly [number, number];
  stepped?: boolean;
}

const HEIGHT = 190;
/** The first rounds of a shift may be settled within a second, and an axis without a length draws nothing. */
const SHORTEST_S = 60;
/** Seconds between the marks of the time's axis: a mark says its minute, and no two say the same. */
const MARKS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 86_400];
const AXIS = {
  stroke: "#b4bec7",
  font: '14px "Inter Variable", sans-serif',
  grid: { stroke: "#2a333c", width: 1 },
  ticks: { stroke: "#2a333c" },
};

/** Draws itself anew when its values change; it moves in no other way. */
export function Chart({ label, at, lines, band, stepped }: Props) {
  const { clock, number } = useI18n();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values are compared as text, arrays are new each time.
  useEffect(() => {
    let chart: UPlot | null = null;
    let gone = false;
    const widened = new ResizeObserver(([entry]) => {
      if (entry) chart?.setSize({ width: entry.contentRect.width, height: HEIGHT });
    });
    void import("uplot").then(({ default: Plot }) => {
      if (gone || !place.current) return;
      const paths = stepped && Plot.paths.stepped ? { paths: Plot.paths.stepped({ align: 1 }) } : {};
      const options: UPlot.Options = {
        width: place.current.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        scales: { x: { range: (_, from, to) => [Math.min(from, to - SHORTEST_S), to] } },
        axes: [
          { ...AXIS, incrs: MARKS_S, values: (_, splits) => splits.map((second) => clock(second * 1e6)) },
          {
            ...AXIS,
            size: 64,
            values: (_, splits) => splits.map((value) => number(value, Number.isInteger(value) ? 0 : 1)),
          },
        ],
        series: [
          {},
          ...lines.map(({ label: name, color, dash = [] }) => ({
            label: name,
            stroke: color,
            width: 2,
            points: { show: false },
            dash,
            ...paths,
          })),
        ],
        ...(band && {
          bands: [{ series: [band[0] + 1, band[1] + 1] as [number, number], fill: "#6cc4ff22" }],
        }),
        legend: { live: false },
      };
      chart = new Plot(options, [[...at], ...lines.map((line) => [...line.values])], place.current);
      widened.observe(place.current);
    });
    return () => {
      gone = true;
      widened.disconnect();
      chart?.destroy();
    };
  }, [JSON.stringify([at, lines])]);
  return <div class={band ? "chart banded" : "chart"} role="img" aria-label={label} ref={place} />;
}
