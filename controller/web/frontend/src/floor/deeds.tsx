// Who did what in a round: sentences in their order; the one that the felt shows is marked, and each leads there.
import { useEffect, useRef } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { RoundSheet } from "../view";
import type { Played } from "./use-played";

interface Props {
  sheet: RoundSheet;
  played: Played;
  /** Sentences about another box step back. */
  box: number | null;
}

/** A press on a sentence takes the felt to that moment. */
export function Deeds({ sheet, played, box }: Props) {
  const i18n = useI18n();
  const entry = played.file?.steps[played.step]?.entry ?? 0;
  const here = sheet.deeds.findLast((deed) => deed.seq <= entry)?.seq;
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sentence moves with what is marked.
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>(".here");
    // The list alone: on a phone the page itself stays where it is.
    if (list.current && marked)
      list.current.scrollTop = marked.offsetTop - list.current.offsetTop - list.current.clientHeight / 2;
  }, [here]);
  const toDeed = (seq: number): void => {
    const steps = played.file?.steps ?? [];
    const at = steps.findLastIndex((step) => step.entry <= seq);
    if (at >= 0) played.toStep(at);
  };
  return (
    <section class="did" aria-label={i18n.text("ui.who_did_what")}>
      <h2>
        {i18n.text("ui.who_did_what")}
        <span>{i18n.text("ui.entries", { count: sheet.deeds.length })}</span>
      </h2>
      <ul class="scrolls stack gap-6 bright" ref={list}>
        {sheet.deeds.map((deed) => (
          <li
            key={deed.seq}
            class={[deed.seq === here ? "here" : "", deed.differs || deed.stops ? "differs" : ""].join(" ")}
            data-entry={deed.seq}
            data-other-box={box !== null && deed.box !== null && deed.box !== box}
          >
            <button
              class="grid level gap-8 whole-width to-left"
              type="button"
              onClick={() => toDeed(deed.seq)}
            >
              <time>{i18n.clock(deed.at_utc_us, true)}</time>
              <span>{i18n.say(deed.text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
