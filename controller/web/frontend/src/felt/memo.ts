// Components that are drawn again only when what they are given has changed.
import { Component, type ComponentType, type FunctionComponent, h } from "preact";
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
