// A form stands beside what was tapped on the felt, and never over the box that it is about.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Subject } from "./entered/subject";

const GAP_PX = 10;

/** The smallest rectangle around all of these parts; null where none is drawn. */
function around(felt: HTMLElement, selector: string): DOMRect | null {
  const all = [...felt.querySelectorAll(selector)].map((part) => part.getBoundingClientRect());
  if (all.length === 0) return null;
  const left = Math.min(...all.map((one) => one.left));
  const top = Math.min(...all.map((one) => one.top));
  const right = Math.max(...all.map((one) => one.right));
  const bottom = Math.max(...all.map((one) => one.bottom));
  return new DOMRect(left, top, right - left, bottom - top);
}

const targetOf = ({ fact, card, box, hand }: Subject): string => {
  if (card) return `[data-card="${card}"]`;
  if (box < 1) return "[data-dealer]";
  return fact === "stake"
    ? `[data-box="${box}"]`
    : hand
      ? `[data-hand="${box}.${hand}"]`
      : `[data-hand^="${box}."]`;
};

/** The felt's element; its `.aim` frames the target, its `.beside-target` stands at the side with more room, at the foot. */
export function useBeside(subject: Subject | null): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const felt = ref.current;
    const form = felt?.querySelector<HTMLElement>(".beside-target");
    const aim = felt?.querySelector<HTMLElement>(".aim");
    if (!felt || !form || !aim || !subject) return undefined;
    const put = (): void => {
      const frame = felt.getBoundingClientRect();
      const target = around(felt, targetOf(subject));
      const own = around(
        felt,
        subject.box > 0
          ? `[data-box="${subject.box}"], [data-hand^="${subject.box}."]`
          : "[data-dealer] .card",
      );
      aim.hidden = target === null;
      if (!target || !own) return;
      Object.assign(aim.style, {
        left: `${target.left - frame.left - 5}px`,
        top: `${target.top - frame.top - 5}px`,
        width: `${target.width + 10}px`,
        height: `${target.height + 10}px`,
      });
      const [before, behind] = [own.left - frame.left, frame.right - own.right];
      const left = before >= behind ? before - GAP_PX - form.offsetWidth : own.right - frame.left + GAP_PX;
      form.style.setProperty("--left", `${Math.max(0, Math.min(left, frame.width - form.offsetWidth))}px`);
    };
    put();
    addEventListener("resize", put);
    return () => removeEventListener("resize", put);
  });
  return ref;
}
