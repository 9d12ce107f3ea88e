// Text that must not overflow: it shrinks until it fits, and grows back when there is room again.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The type scale: every text that is fitted has one of these sizes, in pixels. */
const SCALE = [96, 82, 64, 56, 48, 36, 28, 24, 20, 16, 14] as const;

function fits(node: HTMLElement): boolean {
  const { whiteSpace, maxHeight } = getComputedStyle(node);
  if (node.scrollWidth > node.clientWidth + 1) return false;
  // One line needs no height of its own; where the screen is low it is given a limit all the same.
  const most = whiteSpace === "nowrap" ? Number.parseFloat(maxHeight) : node.clientHeight;
  return Number.isNaN(most) || node.scrollHeight <= most + 1;
}

/** A text and the sizes of the scale between which it is written. */
interface Fit {
  content: string;
  most: number;
  least: number;
}

/** The size that a text came out with in a place so wide and high. */
interface Fitted {
  width: number;
  height: number;
  size: number;
}

/** More than the texts of a shift in one language; then they are forgotten and found anew. */
const REMEMBERED_MAX = 2000;
const remembered = new Map<string, Fitted>();
/** How wide each node was when it was last fitted. */
const widths = new WeakMap<HTMLElement, number>();
/** What a text stands in by its style: a bar that is crowded, or a stop in capitals, leaves it another room. */
const surroundings = (node: HTMLElement): string => {
  const around = node.closest<HTMLElement>("section, .bar, dialog");
  return `${around?.className ?? ""} ${around?.dataset.tone ?? ""}`;
};
const keyOf = (node: HTMLElement, { content, most, least }: Fit): string =>
  [surroundings(node), node.className, most, least, innerWidth, innerHeight, content].join("|");

/** Sets the largest size of the scale that fits, or the least; halves them, for each one tried costs a layout. */
function shrinkToFit(node: HTMLElement, { most, least }: Fit): number {
  const sizes = SCALE.filter((size) => size <= most && size >= least);
  const fitsAt = (at: number): boolean => {
    node.style.fontSize = `${sizes[at] ?? least}px`;
    return fits(node);
  };
  if (fitsAt(0)) return sizes[0] ?? least;
  let [tooLarge, found] = [0, sizes.length - 1];
  while (found - tooLarge > 1) {
    const middle = Math.floor((tooLarge + found) / 2);
    if (fitsAt(middle)) found = middle;
    else tooLarge = middle;
  }
  const size = sizes[found] ?? least;
  node.style.fontSize = `${size}px`;
  return size;
}

/** Finds the size anew, and remembers it with the place that it was found for. */
function fitAnew(node: HTMLElement, fit: Fit): void {
  const size = shrinkToFit(node, fit);
  const { clientWidth: width, clientHeight: height } = node;
  widths.set(node, width);
  // In the letters of another font it came out with another size.
  if (document.fonts.status === "loading") return;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(keyOf(node, fit), { width, height, size });
}

/** Keeps the size that the text came out with before, where its place is the same; else finds it. */
function settle(node: HTMLElement, fit: Fit): void {
  const known = remembered.get(keyOf(node, fit));
  const same = known?.width === node.clientWidth && known.height === node.clientHeight;
  if (same && fits(node)) widths.set(node, known.width);
  else fitAnew(node, fit);
}

/** Nodes with a new text, in the order in which they were drawn: what is fitted first leaves the others its room. */
const waiting = new Map<HTMLElement, Fit>();

/**
 * Fits a new text just before the next picture, all texts of a view together: each one that is measured while the
 * view is still being put together costs a layout of its own, and eight keys and a line took half of a view's time.
 */
function fitLater(node: HTMLElement, fit: Fit): void {
  node.style.fontSize = `${remembered.get(keyOf(node, fit))?.size ?? fit.most}px`;
  if (waiting.size === 0) requestAnimationFrame(fitAll);
  waiting.set(node, fit);
}

function fitAll(): void {
  const nodes = [...waiting];
  waiting.clear();
  for (const [node, fit] of nodes) if (node.isConnected) settle(node, fit);
}

/** A key beside this one that comes or goes changes its width; its height changes with the text's own size. */
function onWidth(node: HTMLElement, changed: () => void): ResizeObserver {
  const observer = new ResizeObserver(() => {
    // Before it has been fitted for the first time it waits for that.
    if (waiting.has(node) || node.clientWidth === widths.get(node)) return;
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
  useLayoutEffect(() => {
    const node = ref.current;
    if (!node) return undefined;
    const fit = { content, most, least };
    // Fonts may come after the next text has: only the present one's sizes count.
    let present = true;
    const again = (): void => void (present && fitAnew(node, fit));
    fitLater(node, fit);
    if (document.fonts.status === "loading") void document.fonts.ready.then(again);
    addEventListener("resize", again);
    const widened = onWidth(node, again);
    return () => {
      // A page that nobody looks at is drawn no picture: what has gone meanwhile must not wait for one.
      present = false;
      waiting.delete(node);
      removeEventListener("resize", again);
      widened.disconnect();
    };
  }, [content, most, least]);
  return ref;
}
