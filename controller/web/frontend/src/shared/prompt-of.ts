// What the dealer does now, as the view begins with it.
import type { Prompt, TableView } from "../view";

/** The first prompt of a view; the server always sends one, and throws here where it did not. */
export function promptOf({ prompts }: TableView): Prompt {
  const [first] = prompts;
  if (!first) throw new Error("a view without a prompt");
  return first;
}
