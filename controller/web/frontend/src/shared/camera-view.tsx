// What the cameras over the layout see now: their pictures with outlines, names and doubts, beside the table.

import { useEffect, useState } from "preact/hooks";
import { type I18n, useI18n } from "../i18n/i18n";
import { at, fetchJson } from "../server/http";
import type { CameraView as Camera, OutlineView } from "../view";
import { PlainKey } from "./keys";

const EVERY_MS = 1000;
const PAIR = 2;
const AROUND_PX = 100;

/** Asked for again once the last answer is in: a slow machine gets fewer pictures, not more work. */
export function CameraPanel({ onClose }: { onClose: () => void }) {
  const i18n = useI18n();
  const cameras = useCameras();
  return (
    <aside class="cameras low scroll-y ground-1 edge round-12" aria-label={i18n.text("ui.cameras")}>
      <header class="row between gap-12">
        <h2>{i18n.text("ui.cameras")}</h2>
        <PlainKey data-key="CLOSE_CAMERAS" onClick={onClose}>
          {i18n.text("ui.close")}
        </PlainKey>
      </header>
      {cameras.map((camera) => (
        <Sight key={camera.camera} camera={camera} />
      ))}
      {cameras.length === 0 && <p class="quiet">{i18n.text("ui.cameras_none")}</p>}
    </aside>
  );
}

/** The box as the cameras see it now: cut out around its cards, the whole picture without one, or where none is seen. */
export function BoxSights({ box }: { box: number | null }) {
  const i18n = useI18n();
  const cameras = useCameras();
  if (cameras.length === 0) return <p class="quiet">{i18n.text("ui.cameras_none")}</p>;
  return (
    <>
      {cameras.map((camera) => (
        <Sight key={camera.camera} camera={camera} around={box} />
      ))}
    </>
  );
}

/** What the picture is cut to: a card's length around the cards of a box. */
function cutTo({ width, height, cards }: Camera, box: number | null): string {
  const corners = cards.filter((card) => card.box === box).flatMap((card) => card.corners);
  if (box === null || corners.length === 0) return `0 0 ${width} ${height}`;
  const xs = corners.filter((_, index) => index % PAIR === 0);
  const ys = corners.filter((_, index) => index % PAIR === 1);
  const [left, top] = [Math.min(...xs) - AROUND_PX, Math.min(...ys) - AROUND_PX];
  return `${left} ${top} ${Math.max(...xs) + AROUND_PX - left} ${Math.max(...ys) + AROUND_PX - top}`;
}

function useCameras(): readonly Camera[] {
  const [cameras, setCameras] = useState<readonly Camera[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const look = async (): Promise<void> => {
      const found = await fetchJson<Camera[]>("/api/cameras");
      if (gone) return;
      setCameras(found ?? []);
      timer = setTimeout(() => void look(), EVERY_MS);
    };
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, []);
  return cameras;
}

interface SightProps {
  camera: Camera;
  /** The box that it is cut to. */
  around?: number | null;
  /** The path of a picture that is laid over it. */
  heat?: string | undefined;
}

/** One camera's picture with its outlines, its figures and why something in it is unclear below. */
export function Sight({ camera, around = null, heat }: SightProps) {
  const i18n = useI18n();
  const { width, height } = camera;
  return (
    <figure data-camera={camera.camera}>
      <svg
        viewBox={cutTo(camera, around)}
        role="img"
        aria-label={i18n.text("ui.camera_shows", { camera: camera.camera, count: camera.cards.length })}
      >
        <image href={at(camera.picture)} width={width} height={height} preserveAspectRatio="none" />
        {heat && <image data-heat href={heat} width={width} height={height} preserveAspectRatio="none" />}
        {camera.cards.map((card) => (
          <Outline key={card.corners.join()} card={card} />
        ))}
      </svg>
      <figcaption>{figuresOf(camera, i18n).join(" · ")}</figcaption>
    </figure>
  );
}

function Outline({ card }: { card: OutlineView }) {
  const xs = card.corners.filter((_, index) => index % PAIR === 0);
  const ys = card.corners.filter((_, index) => index % PAIR === 1);
  const name = nameOf(card);
  return (
    <g class={`outline ${card.look}`} data-look={card.look}>
      <polygon points={card.corners.join(" ")} />
      {name && (
        <text
          class="weight-700"
          x={(Math.min(...xs) + Math.max(...xs)) / PAIR}
          y={Math.min(...ys) - 6}
          text-anchor="middle"
        >
          {name}
        </text>
      )}
    </g>
  );
}

/** "8h 99 %" of a certain card, "8h → 3d" of a doubt, "? 9 62 %" of what the camera cannot read. */
function nameOf({ look, card, seen, percent }: OutlineView): string {
  switch (look) {
    case "certain":
      return `${card} ${percent} %`;
    case "doubt":
      return `${card} → ${seen} ?`;
    case "unclear":
      return seen === "" ? "?" : `? ${seen} ${percent} %`;
    case "down":
      return "";
  }
}

function figuresOf(camera: Camera, i18n: I18n): string[] {
  const ranks = camera.ranks.map(({ box, px, read_percent }) =>
    i18n.text("ui.camera_rank", {
      box: box === 0 ? i18n.text("ui.dealer") : box,
      px: Math.round(px),
      percent: read_percent,
    }),
  );
  const reasons = new Set(camera.cards.flatMap(({ reason }) => (reason === "" ? [] : [reason])));
  return [
    ...[...reasons].map((reason) => `? ${i18n.text(`read.reason.${reason}`)}`),
    ...(ranks.length > 0 ? [`${i18n.text("ui.camera_ranks")} ${ranks.join(", ")}`] : []),
    ...(camera.edge_px > 0 ? [i18n.text("ui.camera_focus", { px: camera.edge_px })] : []),
    i18n.text("ui.camera_light", { level: camera.light, percent: camera.burnt_percent }),
  ];
}
