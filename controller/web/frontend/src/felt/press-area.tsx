// A part of the drawing that can be pressed: SVG has no button, so a role, a name and the keys of one.
import type { ComponentChildren, SVGAttributes } from "preact";

interface Props extends Omit<SVGAttributes<SVGGElement>, "name" | "role" | "onClick" | "onKeyDown"> {
  name: string;
  /** Enter is left to the page's main key. */
  spaceOnly?: boolean;
  onPress: () => void;
  children: ComponentChildren;
}

/** Pressed by a tap, by Space, and by Enter unless that is the page's. */
export function PressArea({ name, spaceOnly = false, onPress, children, ...rest }: Props) {
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
