// A link within the pit's page: it has an address to be sent on, and goes there without loading the page anew.
import type { ComponentChildren } from "preact";
import type { Go } from "./place";

interface Props {
  to: string;
  go: Go;
  class?: string;
  name?: string;
  /** It leads to the page that is open. */
  here?: boolean;
  children: ComponentChildren;
}

/** A press with a modifier is the browser's: it opens the address in another tab. */
export function Link({ to, go, class: look = "plain", name, here, children }: Props) {
  return (
    <a
      href={to}
      class={look}
      data-link={name}
      aria-current={here ? "page" : undefined}
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
