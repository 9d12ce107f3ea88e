// The instruction line: verb and number, what explains it, and what comes next.
import { ChipKinds, ChipStack, chipLabel } from "../felt/chip";
import { useFit } from "../fit";
import type { Chip, Prompt, Words } from "../view";
import type { Speech } from "../words";
import { Sign } from "./icon";

interface Props {
  prompt: Prompt;
  detail: readonly Words[];
  chips: readonly Chip[];
  speech: Speech;
}

export function Band({ prompt, detail, chips, speech }: Props) {
  const line = speech.say(prompt.line);
  const headline = useFit<HTMLHeadingElement>(line, prompt.chips.length > 0 ? 82 : 96, 40);
  return (
    <section class="band" data-tone={prompt.tone} data-line={prompt.line.code}>
      <div class="band-sign">
        <Sign icon={prompt.icon} />
      </div>
      <div class="band-line">
        <h1 ref={headline} aria-live="assertive">
          {line}
        </h1>
        <Detail prompt={prompt} detail={detail} chips={chips} speech={speech} />
      </div>
      {prompt.side && (
        <div class="band-side">
          <span>{speech.say(prompt.side.title)}</span>
          <SideText text={speech.say(prompt.side.text)} />
        </div>
      )}
    </section>
  );
}

function SideText({ text }: { text: string }) {
  const fit = useFit<HTMLElement>(text, 26, 16);
  return <strong ref={fit}>{text}</strong>;
}

function Detail({ prompt, detail, chips, speech }: Props) {
  const words = detail.map((one) => speech.say(one));
  const fit = useFit<HTMLParagraphElement>(words.join(), 24, 12);
  return (
    <div class="band-detail">
      {prompt.chips.length > 0 && (
        <ChipKinds.Provider value={chips}>
          <span class="band-chips">
            {prompt.chips.map(([value, count], index) => (
              <span key={value} class="band-chip">
                {index > 0 && <i>+</i>}
                <svg viewBox="0 0 44 40" aria-hidden="true">
                  <ChipStack x={22} y={24} radius={14} value={value} count={count} />
                </svg>
                {count} × {speech.money(chipLabel(value))}
              </span>
            ))}
          </span>
        </ChipKinds.Provider>
      )}
      <p ref={fit}>
        {words.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one line may repeat; only their order tells them apart.
          <span key={index} class={index === 0 && prompt.chips.length === 0 ? "first" : "more"}>
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}
