// What the cameras over the layout showed when a round was settled: what was paid is proved by it.
import { useEffect, useRef } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { useFetched } from "../../server/fetched";
import type { RoundPicture } from "../../view";

interface Props {
  round: number;
  onClose: () => void;
}

/** The recorded pictures of a round; says so where there are none. */
export function RoundPictures({ round, onClose }: Props) {
  const i18n = useI18n();
  const title = i18n.text("ui.pictures_of_round", { round });
  const pictures = useFetched<RoundPicture[]>(`/api/rounds/${round}/pictures`, round);
  const section = useRef<HTMLElement>(null);
  // The row that was tapped may be far down the list.
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section ref={section} class="round-pictures" aria-label={title} data-pictures={round}>
      <header>
        <h3>{title}</h3>
        <button type="button" class="plain" data-key="CLOSE_PICTURES" onClick={onClose}>
          {i18n.text("ui.close")}
        </button>
      </header>
      {!pictures && <p class="quiet">{i18n.text("ui.loading")}</p>}
      {pictures?.length === 0 && <p class="quiet">{i18n.text("ui.pictures_of_round_none")}</p>}
      {pictures?.map((one) => (
        <figure key={one.camera}>
          <img src={one.picture} alt={`${title}: ${one.camera}`} />
          <figcaption>
            {one.camera} · {i18n.clock(one.at_utc_us)}
          </figcaption>
        </figure>
      ))}
    </section>
  );
}
