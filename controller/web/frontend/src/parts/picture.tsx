// What a camera sees of a card. Its place is kept where there is none, so that nothing moves when it comes.
import { useState } from "preact/hooks";
import type { Speech } from "../words";

interface Props {
  /** Where to get it; null where there is none. */
  path: string | null;
  note: string | null;
  speech: Speech;
}

export function Picture({ path, note, speech }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  const shown = path !== null && path !== failed;
  return (
    <figure class="picture">
      {shown ? <img src={path} alt={speech.text("ui.picture")} onError={() => setFailed(path)} /> : <p class="quiet">{speech.text("ui.picture_none")}</p>}
      {note && <figcaption>{note}</figcaption>}
    </figure>
  );
}
