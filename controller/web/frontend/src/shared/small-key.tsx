// A key of a page: what every button beside the bar and the felt has alike.
import type { ButtonHTMLAttributes } from "preact";

/** Small unless its class says otherwise; in a form it sends nothing. */
export function SmallKey({ class: look = "key-small", ...more }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" class={look} {...more} />;
}
