// Newer views wait until the last one has been painted: what would never be seen is not drawn.

/** A page that nobody looks at is painted no picture: it goes on after so many milliseconds all the same. */
const UNPAINTED_MS = 100;

/** Calls `next` once, when the browser has painted, or has not for `UNPAINTED_MS`. */
function afterPaint(next: () => void): void {
  let called = false;
  const once = (): void => {
    if (called) return;
    called = true;
    clearTimeout(late);
    next();
  };
  const late = setTimeout(once, UNPAINTED_MS);
  // The callback comes just before the picture; a task that it leaves comes behind it.
  requestAnimationFrame(() => setTimeout(once, 0));
}

/**
 * The same as `show`, but not called twice between two pictures: the first value is shown at once, and of those that
 * come before it is on the screen only the newest. Seven stakes within 100 ms took a slow tablet seven whole drawings,
 * and everything behind them waited.
 */
export function paced<T>(show: (value: T) => void): (value: T) => void {
  let waiting: { value: T } | null = null;
  let painting = false;
  const painted = (): void => {
    painting = false;
    if (waiting) take(waiting.value);
  };
  const take = (value: T): void => {
    // A hidden page is heard all the same: its sounds wait for no picture.
    if (painting && !document.hidden) {
      waiting = { value };
      return;
    }
    waiting = null;
    if (!painting) afterPaint(painted);
    painting = true;
    show(value);
  };
  return take;
}
