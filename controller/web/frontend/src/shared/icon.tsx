// The signs of the instruction bar: each meaning has a shape, colour only helps.
import type { Prompt } from "../view";

type Meaning = Prompt["icon"];

const PATHS: Record<Meaning, string> = {
  chip: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M12 3v4.5M12 16.5V21M3 12h4.5M16.5 12H21",
  turn: "M5 12h13M13 7l5 5-5 5",
  draw: "M12 3v13M6 10l6 6 6-6M4 21h16",
  stand:
    "M7 12V6.4a1.6 1.6 0 0 1 3.2 0V11M10.2 10V4.6a1.6 1.6 0 0 1 3.2 0V10M13.4 10V6a1.6 1.6 0 0 1 3.2 0v5M16.6 9a1.6 1.6 0 0 1 3.2 0v6a7 7 0 0 1-7 7h-1.2c-2.4 0-3.9-1-5.2-3l-3-4.8a1.7 1.7 0 0 1 2.7-2L7 14",
  pay: "M12 5v14M5 12h14",
  take: "M5 12h14",
  push: "M5 9h14M5 15h14",
  ask: "M8.5 8.5a3.6 3.6 0 1 1 5.3 3.2c-1.2.7-1.8 1.4-1.8 2.8M12 19v.4",
  stop: "M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v5M12 16v.3",
  eye: "M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6",
};

/** A sign in the colour of the text around it; the words beside it say the same to a reader. */
export function Icon({ icon }: { icon: Meaning }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[icon]} />
    </svg>
  );
}
