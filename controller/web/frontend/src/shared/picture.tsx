// What a camera sees of a card. Its place is kept where there is none, so that nothing moves when it comes.

import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";

interface Props {
  /** Where to get it; null where there is none. */
  path: string | null;
  note: string | null;
  /** The card that is meant lies in the middle: a frame says so. */
  aimed?: boolean;
}

/** The picture, or that there is none; a path that could not be loaded counts as none. */
export function Picture({ path, note, aimed = false }: Props) {
  const i18n = useI18n();
  const [failed, setFailed] = useState<string | null>(null);
  const shown = path !== null && path !== failed;
  return (
    <figure
      class={
        aimed && shown
          ? "picture aimed centre clip to-middle ground-0 edge round-12 within"
          : "picture centre clip to-middle ground-0 edge round-12"
      }
    >
      {shown ? (
        <img
          class="block whole-width"
          src={at(path)}
          alt={i18n.text("ui.picture")}
          onError={() => setFailed(path)}
        />
      ) : (
        <p class="quiet">{i18n.text("ui.picture_none")}</p>
      )}
      {note && <figcaption class="size-15 soft">{note}</figcaption>}
    </figure>
  );
}
