// What lies over everything: the simulation strip, "not live", and the answer to a press that was refused.
import { useFit } from "../fit";
import type { Notice, TableView, Words } from "../view";
import type { Speech } from "../words";
import { Sign } from "./icon";

interface StripProps {
  autoplay: boolean | null;
  off: boolean;
  speech: Speech;
  onAutoplay: (on: boolean) => void;
}

/** Says that no money moves; there is no way to hide it. */
export function SimulationStrip({ autoplay, off, speech, onAutoplay }: StripProps) {
  return (
    <div class="simulation" role="note">
      <b>{speech.text("ui.simulation")}</b>
      {autoplay !== null && (
        <button type="button" data-top="autoplay" disabled={off} onClick={() => onAutoplay(!autoplay)}>
          {speech.text(autoplay ? "ui.autoplay_on" : "ui.autoplay_off")}
        </button>
      )}
    </div>
  );
}

export function NotLive({ view, speech }: { view: TableView | null; speech: Speech }) {
  const line = speech.text("line.NOT_LIVE");
  const fit = useFit<HTMLHeadingElement>(line, 96, 32);
  return (
    <section class="not-live" data-tone="stop" role="alert">
      <div class="band">
        <div class="band-sign">
          <Sign icon="stop" />
        </div>
        <div class="band-line">
          <h1 ref={fit}>{line}</h1>
          <p>
            {view
              ? speech.text("ui.last_update", { time: speech.clock(view.at_utc_us) })
              : speech.text("ui.connecting")}
          </p>
        </div>
      </div>
    </section>
  );
}

/** The answer to a press that was refused, at this screen or at a keypad. */
export function Toast({
  words,
  notice,
  speech,
}: {
  words: Words | null;
  notice: Notice | null;
  speech: Speech;
}) {
  const told = words ? speech.say(words) : notice ? pressed(notice, speech) : "";
  return (
    <div class={told ? "toast shown" : "toast"} role="log" aria-live="polite">
      {told}
    </div>
  );
}

function pressed({ device, key, why }: Notice, speech: Speech): string {
  return `${device}, ${speech.say(key)}: ${speech.say(why)}`;
}
