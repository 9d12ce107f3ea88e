// The picture with its outlines: tapped corner by corner, or by a crosshair that the arrow keys move.
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { LabelPictureView } from "../view";
import type { Change, Draft } from "./draft";

/** The crosshair moves by this share of the picture's width on the screen, with Shift by a pixel of the picture. */
const STEP = 0.02;
/** Sizes of marks and letters, as shares of the picture's width. */
const MARK = 0.006;
const LETTER = 0.018;

interface Props {
  picture: LabelPictureView;
  draft: Draft;
  /** So many times as large as fits the screen. */
  zoom: number;
  onChange: (change: Change) => void;
}

/** Takes the focus for its own keys: arrows, Enter, Backspace, Escape. */
export function Picture({ picture, draft, zoom, onChange }: Props) {
  const i18n = useI18n();
  const { width, height } = picture;
  const drawing = useRef<SVGSVGElement>(null);
  const [[x, y], setCross] = useState([width / 2, height / 2]);
  useEffect(() => setCross([width / 2, height / 2]), [width, height]);
  const cross = useRef<SVGPathElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the crosshair stays in view wherever it goes
  useEffect(() => cross.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [x, y, zoom]);
  const tap = (event: MouseEvent): void => {
    const place = drawing.current?.getBoundingClientRect();
    if (!place) return;
    const across = ((event.clientX - place.left) / place.width) * width;
    const down = ((event.clientY - place.top) / place.height) * height;
    setCross([across, down]);
    onChange({ do: "corner", x: within(across, width), y: within(down, height) });
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 1 : (width * STEP) / zoom;
    const [dx, dy] = ARROWS[event.key] ?? [0, 0];
    if (dx || dy) setCross([within(x + dx * step, width), within(y + dy * step, height)]);
    else if (event.key === "Enter" || event.key === " ") onChange({ do: "corner", x, y });
    else if (event.key === "Backspace") onChange({ do: "back" });
    else if (event.key === "Escape") onChange({ do: "drop" });
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="label-picture"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys of its own
      tabIndex={0}
      aria-label={i18n.text("label.draw")}
      style={{ aspectRatio: `${width} / ${height}`, width: `calc(${zoom} * ${fitting(width / height)})` }}
      onClick={tap}
      onKeyDown={press}
    >
      <img src={`/api/labels/${picture.number}/picture`} alt={picture.name} />
      <svg ref={drawing} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {picture.read.map((card) => (
          <Outline key={card.corners.join()} card={card} look="read" width={width} />
        ))}
        {draft.cards.map((card, at) => (
          <Outline
            // biome-ignore lint/suspicious/noArrayIndexKey: a card has no name of its own
            key={at}
            card={card}
            look={at === draft.selected ? "mine selected" : "mine"}
            width={width}
          />
        ))}
        {picture.unclear.map((spot) => (
          <circle key={`${spot.x} ${spot.y}`} class="unclear" cx={spot.x} cy={spot.y} r={width * LETTER} />
        ))}
        <polyline class="begun" points={draft.points.join(" ")} />
        {pairs(draft.points).map(([px, py]) => (
          <circle key={`${px} ${py}`} class="corner" cx={px} cy={py} r={width * MARK} />
        ))}
        <path ref={cross} class="cross" d={crossAt(x, y, width * LETTER)} />
      </svg>
    </div>
  );
}

/** The width at which the whole picture is seen: all there is, or as the height lets it. */
function fitting(aspect: number): string {
  return `min(100%, calc((100vh - 190px) * ${aspect}))`;
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface OutlineProps {
  card: { rank: string; suit: string; corners: number[] };
  look: string;
  width: number;
}

/** The name stands at the middle: inside for a person's label, at the first corner for the reader's. */
function Outline({ card, look, width }: OutlineProps) {
  const corners = pairs(card.corners);
  const first = corners[0];
  if (!first) return null;
  const middle = [0, 1].map(
    (axis) => corners.reduce((sum, one) => sum + (one[axis] ?? 0), 0) / corners.length,
  );
  const [x, y] = look === "read" ? first : middle;
  return (
    <g class={look}>
      <polygon points={card.corners.join(" ")} />
      <text x={x} y={y} font-size={width * LETTER} text-anchor="middle">
        {card.rank || "?"}
        {card.suit}
      </text>
    </g>
  );
}

function pairs(numbers: readonly number[]): [number, number][] {
  return numbers.flatMap((x, at) => (at % 2 === 0 ? [[x, numbers[at + 1] ?? 0] as [number, number]] : []));
}

function crossAt(x: number, y: number, half: number): string {
  return `M${x - half} ${y}h${2 * half}M${x} ${y - half}v${2 * half}`;
}

function within(value: number, most: number): number {
  return Math.round(Math.min(Math.max(value, 0), most) * 10) / 10;
}
