// A chip that is slid from the rail along the boxes: each circle that it comes over gets one.
import { useEffect, useRef, useState } from "preact/hooks";

/** Pixels before a press is a slide: a finger that only taps moves less. */
const SLIDE_PX = 18;

/**
 * How near to a circle's middle the finger has to come, in widths of the circle: one on its straight way from box 1 to 3
 * passes the middle of box 2 by half a width.
 */
const OVER = 0.4;

interface Sliding {
  value: string;
  x: number;
  y: number;
}

/** The chip under the finger, null while none is slid; `begin` follows a pointer that has gone down on a chip. */
export function useSlide(onBox: (box: number, value: string) => void): {
  at: Sliding | null;
  begin: (event: PointerEvent, value: string) => void;
} {
  const [at, setAt] = useState<Sliding | null>(null);
  const latest = useRef(onBox);
  latest.current = onBox;
  const stop = useRef<() => void>(() => {});
  useEffect(() => () => stop.current(), []);

  const begin = (down: PointerEvent, value: string): void => {
    stop.current();
    let over: number | null = null;
    let slides = false;
    const move = (event: PointerEvent): void => {
      if (event.pointerId !== down.pointerId) return;
      slides ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLIDE_PX;
      if (!slides) return;
      setAt({ value, x: event.clientX, y: event.clientY });
      const box = boxAt(event.clientX, event.clientY);
      if (box !== null && box !== over) latest.current(box, value);
      over = box;
    };
    const end = (event: PointerEvent): void => {
      if (event.pointerId === down.pointerId) stop.current();
    };
    stop.current = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      setAt(null);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  };
  return { at, begin };
}

/** The box whose circle the finger is well over; null beside them. */
function boxAt(x: number, y: number): number | null {
  const box = document.elementFromPoint(x, y)?.closest<SVGElement>("[data-box]");
  const ring = box?.querySelector(".ring")?.getBoundingClientRect();
  if (!box || !ring) return null;
  const away = Math.hypot(x - ring.x - ring.width / 2, y - ring.y - ring.height / 2);
  return away > ring.width * OVER ? null : Number(box.dataset.box);
}
