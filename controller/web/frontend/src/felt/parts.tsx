// Parts of the drawing: a component that is drawn again only when its properties change, an area to press, a label.
import {
  Component,
  type ComponentChildren,
  type ComponentType,
  type FunctionComponent,
  h,
  type SVGAttributes,
} from "preact";
import { useCallback, useRef } from "preact/hooks";

/** Whether two objects differ in a member: another object counts as different, whatever is in it. */
export const differs = <P extends object>(one: P, other: P): boolean => {
  const names = Object.keys({ ...one, ...other }) as (keyof P)[];
  return names.some((name) => one[name] !== other[name]);
};

/**
 * The same component, left as it was drawn while each of its properties is the same object as before.
 * A context that it reads, such as the language, draws it again all the same.
 */
export function memo<P extends object>(Drawn: FunctionComponent<P>): ComponentType<P> {
  return class Remembered extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return differs<object>(this.props, next);
    }

    override render() {
      return h(Drawn, this.props as P);
    }
  };
}

/** One function for the whole life of a component, which does what the newest `act` does. */
export function useStable<A extends unknown[], R>(act: (...given: A) => R): (...given: A) => R {
  const latest = useRef(act);
  latest.current = act;
  return useCallback((...given: A) => latest.current(...given), []);
}

interface PressAreaProps extends Omit<SVGAttributes<SVGGElement>, "name" | "role" | "onClick" | "onKeyDown"> {
  name: string;
  /** Enter is left to the page's main key. */
  spaceOnly?: boolean;
  onPress: () => void;
  children: ComponentChildren;
}

/** Pressed by a tap, by Space, and by Enter unless that is the page's. */
export function PressArea({ name, spaceOnly = false, onPress, children, ...rest }: PressAreaProps) {
  const press = (event: KeyboardEvent): void => {
    const meant = event.key === " " || (event.key === "Enter" && !spaceOnly);
    if (event.repeat || !meant) return;
    event.preventDefault();
    onPress();
  };
  // SVG knows the attribute in lower case only: with `tabIndex` no Tab would lead here.
  return (
    <g
      {...rest}
      role="button"
      tabindex={0}
      aria-label={name}
      data-space-only={spaceOnly || undefined}
      onClick={onPress}
      onKeyDown={press}
    >
      {children}
    </g>
  );
}

/** What a label means; "tone" takes the colour of the instruction. */
export type PillLook =
  | "stake"
  | "stake tone-line"
  | "tone"
  | "big"
  | "pay"
  | "take"
  | "push"
  | "act"
  | "stop";

interface PillProps {
  x: number;
  y: number;
  text: string;
  size: number;
  width?: number;
  look?: PillLook | undefined;
}

/** How wide a label of this text is, in units of the picture. */
export const pillWidth = (text: string, size: number): number =>
  Math.max(size * 1.75, text.length * size * 0.6 + size * 0.8);

/** A label with its middle at x, y, as wide as its text where no width is given. */
export function Pill({ x, y, text, size, width, look }: PillProps) {
  const across = width ?? pillWidth(text, size);
  const height = size * 1.42;
  return (
    <g class={look ? `pill ${look}` : "pill"} transform={`translate(${x} ${y})`}>
      <rect x={-across / 2} y={-height / 2} width={across} height={height} rx={height / 2} />
      <text y={size * 0.355} font-size={size} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}
