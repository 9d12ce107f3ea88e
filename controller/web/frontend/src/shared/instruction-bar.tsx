// The line: what the dealer does next, or that the page is not live.

import { useEffect, useId, useState } from "preact/hooks";
import { ChipKinds, ChipStack } from "../felt/box";
import { useI18n } from "../i18n/i18n";
import type { Chip, Prompt, TableView, Words } from "../view";
import { useOpened } from "./dialog";

/** The first prompt of a view; the server always sends one, and throws here where it did not. */
export function promptOf({ prompts }: TableView): Prompt {
  const [first] = prompts;
  if (!first) throw new Error("a view without a prompt");
  return first;
}

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
function Icon({ icon }: { icon: Meaning }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[icon]} />
    </svg>
  );
}

interface InstructionBarProps {
  prompt: Prompt;
  detail: readonly Words[];
  chips: readonly Chip[];
}

/** The line of a prompt with its chips and details; a reader is told of a new line at once. */
export function InstructionBar({ prompt, detail, chips }: InstructionBarProps) {
  const i18n = useI18n();
  return (
    <section class="instruction-bar grid low ground-1" data-tone={prompt.tone} data-line={prompt.line.code}>
      <div class="instruction-icon centre">
        <Icon icon={prompt.icon} />
      </div>
      <div class="instruction-line stack slim">
        <h1 class="weight-800" aria-live="assertive">
          {i18n.say(prompt.line)}
        </h1>
        <Detail prompt={prompt} detail={detail} chips={chips} />
      </div>
      {prompt.side && (
        <div class="instruction-side stack centred gap-6 slim size-16 soft">
          <span>{i18n.say(prompt.side.title)}</span>
          <strong class="weight-700 bright">{i18n.say(prompt.side.text)}</strong>
        </div>
      )}
    </section>
  );
}

/** What ends in a colon stands before the next words without a dot between. */
const place = (text: string): string => (text.endsWith(":") ? "more label" : "more");

function Detail({ prompt, detail, chips }: InstructionBarProps) {
  const i18n = useI18n();
  const words = detail.map((one) => i18n.say(one));
  return (
    <div class="instruction-detail row slim">
      {prompt.chips.length > 0 && (
        <ChipKinds.Provider value={chips}>
          <span class="instruction-chips level gap-12 weight-750 nowrap">
            {prompt.chips.map(([value, count], index) => (
              <span key={value} class="instruction-chip level gap-6">
                {index > 0 && <i class="upright">+</i>}
                <svg viewBox="0 0 44 40" aria-hidden="true">
                  <ChipStack x={22} y={24} radius={14} value={value} count={count} />
                </svg>
                {count} × {i18n.chips(value)}
              </span>
            ))}
          </span>
        </ChipKinds.Provider>
      )}
      <p class="fill slim">
        {words.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one line may repeat; only their order tells them apart.
          <span key={index} class={index === 0 && prompt.chips.length === 0 ? "first" : place(text)}>
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}

const PATIENCE_MS = 2500;

/** NOT LIVE, and when the table was last heard; without a view the page is still connecting. */
export function NotLive({ view }: { view: TableView | null }) {
  const i18n = useI18n();
  const heading = useId();
  // Modal, to lie over an open dialog as well, and to take every key and tap from a table that nobody can see.
  const dialog = useOpened("modal");
  const since = view && i18n.text("ui.last_update", { time: i18n.clock(view.at_utc_us) });
  // Nothing was lost before the first state, which usually comes within a blink.
  const [quiet, setQuiet] = useState(view === null);
  useEffect(() => {
    const late = setTimeout(() => setQuiet(false), PATIENCE_MS);
    return () => clearTimeout(late);
  }, []);
  return (
    <dialog
      ref={dialog}
      class="not-live whole-width whole-height"
      data-tone={quiet ? "push" : "stop"}
      role="alertdialog"
      aria-modal="true"
      aria-labelledby={heading}
      tabIndex={-1}
      closedby="none"
      onCancel={(event) => event.preventDefault()}
      onClose={(event) => stayOpen(event.currentTarget)}
    >
      <div class="instruction-bar grid low ground-1">
        <div class="instruction-icon centre">
          <Icon icon={quiet ? "eye" : "stop"} />
        </div>
        <div class="instruction-line stack slim">
          <h1 class="weight-800" id={heading}>
            {i18n.text(quiet ? "ui.connecting" : "line.NOT_LIVE")}
          </h1>
          <p>{since ?? (quiet ? "" : i18n.text("ui.connecting"))}</p>
        </div>
      </div>
    </dialog>
  );
}

/** Browsers that do not know `closedby` close a dialog on the second Escape, whatever was said to the first. */
function stayOpen(dialog: HTMLDialogElement): void {
  if (dialog.isConnected && !dialog.open) dialog.showModal();
}
