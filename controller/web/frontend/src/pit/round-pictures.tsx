// What the cameras recorded when a round was settled.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";
import { fetchJson } from "../server/fetched";
import type { RoundPictures as Found } from "../view";

/** Asked for once; that there are none is said. */
export function RoundPictures({ number }: { number: number }) {
  const i18n = useI18n();
  const [pictures, setPictures] = useState<Found | null>(null);
  useEffect(() => {
    setPictures(null);
    void fetchJson<Found>(`/api/rounds/${number}/pictures`).then(setPictures);
  }, [number]);
  return (
    <section class="pictures" aria-label={i18n.text("ui.pictures")}>
      <h2>{i18n.text("ui.pictures")}</h2>
      {pictures?.none && <p class="quiet">{i18n.text(`ui.no_pictures_${pictures.none}`)}</p>}
      {pictures?.pictures.map((one) => (
        <figure key={one.camera}>
          <img class="block whole-width" src={at(one.picture)} alt={one.camera} />
          <figcaption>
            {one.camera} · {i18n.clock(one.at_utc_us, true)}
          </figcaption>
        </figure>
      ))}
    </section>
  );
}
