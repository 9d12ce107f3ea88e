// The instruction line: verb and number, what explains it, and what comes next.
import { ChipKinds, ChipStack } from "../felt/chip";
import { useI18n } from "../i18n/context";
import type { Chip, Prompt, Words } from "../view";
import { useFitText } from "./fit-text";
import { Icon } from "./icon";

interface Props {
  prompt: Prompt;
  detail: readonly Words[];
  chips: readonly Chip[];
}

/** From so many sentences or letters on, the detail needs more lines than one, and the headline leaves them room. */
const CROWDED = 3;
const LONG = 100;
/** More letters than one line takes at 1024 pixels in the smallest size: they may take two. */
const ONE_LINE = 84;
/** A first sentence of one line, at 1024 pixels, is written larger where all lines still fit below it. */
const LEAD_MAX = 76;
const ALL_MAX = 280;

const leads = (words: readonly string[]): boolean =>
  (words[0] ?? "").length <= LEAD_MAX && words.join().length <= ALL_MAX;

/** The line of a prompt with its chips and details; a reader is told of a new line at once. */
export function InstructionBar({ prompt, detail, chips }: Props) {
  const i18n = useI18n();
  const line = i18n.say(prompt.line);
  const letters = detail.map((one) => i18n.say(one)).join().length;
  const crowded = prompt.tone === "stop" && (detail.length >= CROWDED || letters > LONG);
  const long = !crowded && letters > ONE_LINE;
  const most = crowded ? 56 : prompt.chips.length > 0 ? 82 : 96;
  return (
    <section
      class={`instruction-bar${crowded ? " crowded" : ""}${long ? " long" : ""}`}
      data-tone={prompt.tone}
      data-line={prompt.line.code}
    >
      <div class="instruction-icon">
        <Icon icon={prompt.icon} />
      </div>
      <div class="instruction-line">
        <Headline text={line} most={most} />
        <Detail line={line} prompt={prompt} detail={detail} chips={chips} />
      </div>
      {prompt.side && (
        <div class="instruction-side">
          <span>{i18n.say(prompt.side.title)}</span>
          <SideText text={i18n.say(prompt.side.text)} />
        </div>
      )}
    </section>
  );
}

/** A component of its own, before the detail: what is fitted first leaves the other its room. */
function Headline({ text, most }: { text: string; most: number }) {
  const fit = useFitText<HTMLHeadingElement>(text, most, 20);
  return (
    <h1 ref={fit} aria-live="assertive">
      {text}
    </h1>
  );
}

function SideText({ text }: { text: string }) {
  const fit = useFitText<HTMLElement>(text, 24, 14);
  return <strong ref={fit}>{text}</strong>;
}

/** What ends in a colon stands before the next words without a dot between. */
const place = (text: string): string => (text.endsWith(":") ? "more label" : "more");

function Detail({ line, prompt, detail, chips }: Props & { line: string }) {
  const i18n = useI18n();
  const words = detail.map((one) => i18n.say(one));
  const fit = useFitText<HTMLParagraphElement>([line, ...words].join(), 24, 14);
  return (
    <div class="instruction-detail">
      {prompt.chips.length > 0 && (
        <ChipKinds.Provider value={chips}>
          <span class="instruction-chips">
            {prompt.chips.map(([value, count], index) => (
              <span key={value} class="instruction-chip">
                {index > 0 && <i>+</i>}
                <svg viewBox="0 0 44 40" aria-hidden="true">
                  <ChipStack x={22} y={24} radius={14} value={value} count={count} />
                </svg>
                {count} × {i18n.chips(value)}
              </span>
            ))}
          </span>
        </ChipKinds.Provider>
      )}
      <p ref={fit} class={leads(words) ? "led" : undefined}>
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
