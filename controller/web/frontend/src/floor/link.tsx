// A link within the pit's page: it has an address to be sent on, and goes there without loading the page anew.
import type { ComponentChildren } from "preact";
import type { Go } from "./place";

interface Props {
  to: string;
  go: Go;
  class?: string;
  name?: string;
  children: ComponentChildren;
}

/** A press with a modifier is the browser's: it opens the address in another tab. */
export function Link({ to, go, class: look = "plain", name, children }: Props) {
  return (
    <a
      href={to}
      class={look}
      data-link={name}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
