// One screen of the table: a picture of the server's view, and the ways to answer it.
import { useCallback, useEffect, useState } from "preact/hooks";
import { Live, type Sight } from "./live";
import { NotLive } from "./parts/overlay";
import { Screen } from "./screen";
import { keptLanguage, type Language, loadSpeech, type Speech } from "./words";

export function App() {
  const [sight, setSight] = useState<Sight>({ view: null, live: false, seenAt: 0 });
  const [speech, setSpeech] = useState<Speech | null>(null);
  const choose = useCallback((language: Language): void => void loadSpeech(language).then(setSpeech), []);
  useEffect(() => {
    choose(keptLanguage());
    new Live(setSight);
    void keepAwake();
    addEventListener("contextmenu", (event) => event.preventDefault());
  }, [choose]);
  if (!speech) return null;
  if (!sight.view) return <NotLive view={null} speech={speech} />;
  return (
    <>
      <Screen view={sight.view} live={sight.live} speech={speech} onLanguage={choose} />
      {!sight.live && <NotLive view={sight.view} speech={speech} />}
    </>
  );
}

async function keepAwake(): Promise<void> {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // A tablet without power or a hidden page may refuse; the screen works all the same.
  }
}
