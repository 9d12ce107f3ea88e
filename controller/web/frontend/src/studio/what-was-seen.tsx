// What reached the table between the step before and this one: the cameras' pictures, the bytes with their meaning.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { Sight } from "../shared/camera-view";
import type { ReceivedView, SeenView } from "../view";
import { ask } from "./bodies";

const AGAIN_MS = 500;

interface Props {
  number: number;
  at: number;
}

/** Below the line: nothing while a recording has nothing of this step. */
export function WhatWasSeen({ number, at }: Props) {
  const i18n = useI18n();
  const seen = useSeen(number, at);
  const [heated, setHeated] = useState(false);
  if (!seen || seen.state === "none") return null;
  return (
    <section class="studio-seen" data-seen={seen.state}>
      <h2>{i18n.text("studio.seen")}</h2>
      {seen.state === "reading" && <p role="status">{i18n.text("studio.seen_reading")}</p>}
      {seen.cameras.length > 0 && (
        <button type="button" class="top-key" aria-pressed={heated} onClick={() => setHeated(!heated)}>
          {i18n.text("studio.heat")}
        </button>
      )}
      {seen.cameras.map(({ before_ms, heat, view }) => (
        <div class="cameras low scroll-y ground-1 edge round-12" key={view.camera}>
          <h3>{i18n.text("studio.seen_before", { source: view.camera, ms: before_ms })}</h3>
          <Sight camera={view} heat={heated ? heat : undefined} />
        </div>
      ))}
      {seen.hidden && <p>{i18n.text("studio.seen_hidden")}</p>}
      {seen.received.map((chunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: chunks have no name and never move.
        <Chunk key={index} chunk={chunk} />
      ))}
    </section>
  );
}

/** A chunk of bytes, and what the driver told of it. */
function Chunk({ chunk }: { chunk: ReceivedView }) {
  const i18n = useI18n();
  return (
    <div data-received={chunk.source}>
      <h3>{i18n.text("studio.seen_before", { source: chunk.source, ms: chunk.before_ms })}</h3>
      <pre>
        {chunk.hex}
        {"\n"}
        {chunk.text}
      </pre>
      {chunk.reports.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {chunk.troubles.map((words) => (
        <p key={words.code}>{i18n.say(words)}</p>
      ))}
    </div>
  );
}

/** Asked for again while the recording is still read; a late answer is dropped. */
function useSeen(number: number, at: number): SeenView | null {
  const [seen, setSeen] = useState<SeenView | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const look = async (): Promise<void> => {
      const found = await ask<SeenView>(`/${number}/seen/${at}`);
      if (gone) return;
      setSeen(found);
      if (found?.state === "reading") timer = setTimeout(() => void look(), AGAIN_MS);
    };
    setSeen(null);
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [number, at]);
  return seen;
}
