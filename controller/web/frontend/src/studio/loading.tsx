// A file while it is opened: how far it is, and a feed's first picture.
import { useEffect, useState } from "preact/hooks";
import { Table } from "../felt/table";
import { useI18n } from "../i18n/context";
import { InstructionBar } from "../shared/instruction-bar";
import type { OpeningView } from "../view";
import { ask, playedRound } from "./bodies";

const ASK_MS = 200;

/** Asks again and again, until the file is there and this part is gone; a running table has one round, at once. */
export function Loading({ number, name }: { number: number; name: string }) {
  const i18n = useI18n();
  const [opening, setOpening] = useState<OpeningView | null>(null);
  useEffect(() => {
    if (playedRound) return;
    const look = (): void =>
      void ask<OpeningView>(`/${number}/opening`).then((answer) => answer && setOpening(answer));
    const timer = setInterval(look, ASK_MS);
    return () => clearInterval(timer);
  }, [number]);
  const first = opening?.first;
  const prompt = first?.view.prompts[0];
  return (
    <>
      {first && prompt && (
        <div class="studio-first">
          <div class="studio-table grid low">
            <InstructionBar prompt={prompt} detail={prompt.detail} chips={first.view.chips} />
            <div class="felt">
              <Table view={first.view} prompt={prompt} />
            </div>
          </div>
        </div>
      )}
      <p class="studio-opens centre soft" role="status">
        {i18n.text("studio.opens", { file: name })}
        <progress
          aria-label={i18n.text("studio.opens", { file: name })}
          max={opening?.of || undefined}
          value={opening?.of ? opening.done : undefined}
        />
      </p>
    </>
  );
}
