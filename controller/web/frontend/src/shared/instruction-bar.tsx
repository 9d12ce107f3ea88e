// The instruction line: verb and number, what explains it, and what comes next.
import { ChipKinds, ChipStack } from "../felt/chip";
import { useI18n } from "../i18n/context";
import type { Chip, Prompt, Words } from "../view";
import { Icon } from "./icon";

interface Props {
  prompt: Prompt;
  detail: readonly Words[];
  chips: readonly Chip[];
}

/** The line of a prompt with its chips and details; a reader is told of a new line at once. */
export function InstructionBar({ prompt, detail, chips }: Props) {
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

function Detail({ prompt, detail, chips }: Props) {
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
