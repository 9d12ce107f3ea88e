// Text that must not overflow: it shrinks until it fits, and grows back when there is room again.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const STEP = 2;

function fits(node: HTMLElement): boolean {
  const { whiteSpace, maxHeight } = getComputedStyle(node);
  if (node.scrollWidth > node.clientWidth + 1) return false;
  // One line needs no height of its own; where the screen is low it is given a limit all the same.
  const most = whiteSpace === "nowrap" ? Number.parseFloat(maxHeight) : node.clientHeight;
  return Number.isNaN(most) || node.scrollHeight <= most + 1;
}

/** Sets the largest size that fits, or `least`; halves the sizes between, for each one tried costs a layout. */
function shrinkToFit(node: HTMLElement, most: number, least: number): void {
  const fitsAt = (size: number): boolean => {
    node.style.fontSize = `${size}px`;
    return fits(node);
  };
  if (fitsAt(most)) return;
  let [tooLarge, steps] = [0, Math.ceil((most - least) / STEP)];
  while (steps - tooLarge > 1) {
    const middle = Math.floor((tooLarge + steps) / 2);
    if (fitsAt(most - middle * STEP)) steps = middle;
    else tooLarge = middle;
  }
  node.style.fontSize = `${Math.max(most - steps * STEP, least)}px`;
}

/** A key beside this one that comes or goes changes its width; its height changes with the text's own size. */
function onWidth(node: HTMLElement, changed: () => void): ResizeObserver {
  let width = node.clientWidth;
  const observer = new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    width = node.clientWidth;
    changed();
  });
  observer.observe(node);
  return observer;
}

/** Gives the node its largest font size between `least` and `most` pixels at which nothing is cut. */
export function useFitText<T extends HTMLElement>(
  content: string,
  most: number,
  least: number,
): RefObject<T | null> {
  const ref = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text wants another size, and the effect reads it off the node.
  useLayoutEffect(() => {
    const node = ref.current;
    if (!node) return undefined;
    const shrink = (): void => shrinkToFit(node, most, least);
    shrink();
    if (document.fonts.status === "loading") void document.fonts.ready.then(shrink);
    addEventListener("resize", shrink);
    const widened = onWidth(node, shrink);
    return () => {
      removeEventListener("resize", shrink);
      widened.disconnect();
    };
  }, [content, most, least]);
  return ref;
}
