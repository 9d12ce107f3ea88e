// A part of the drawing that can be pressed: SVG has no button, so a role, a name and the keys of one.
import type { ComponentChildren, SVGAttributes } from "preact";

interface Props extends Omit<SVGAttributes<SVGGElement>, "name" | "role" | "onClick" | "onKeyDown"> {
  name: string;
  onPress: () => void;
  children: ComponentChildren;
}

/** Pressed by a tap, by Enter and by Space. */
export function PressArea({ name, onPress, children, ...rest }: Props) {
  const press = (event: KeyboardEvent): void => {
    if (event.repeat || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    onPress();
  };
  // SVG knows the attribute in lower case only: with `tabIndex` no Tab would lead here.
  return (
    <g {...rest} role="button" tabindex={0} aria-label={name} onClick={onPress} onKeyDown={press}>
      {children}
    </g>
  );
}
