// What covers a screen that has not heard from the table: nothing on it can be trusted any more.
import { useI18n } from "../i18n/context";
import type { TableView } from "../view";
import { useFitText } from "./fit-text";
import { Icon } from "./icon";

/** NOT LIVE, and when the table was last heard; without a view the page is still connecting. */
export function NotLive({ view }: { view: TableView | null }) {
  const i18n = useI18n();
  const line = i18n.text("line.NOT_LIVE");
  const fit = useFitText<HTMLHeadingElement>(line, 96, 32);
  const since = view && i18n.text("ui.last_update", { time: i18n.clock(view.at_utc_us) });
  return (
    <section class="not-live" data-tone="stop" role="alert">
      <div class="instruction-bar">
        <div class="instruction-icon">
          <Icon icon="stop" />
        </div>
        <div class="instruction-line">
          <h1 ref={fit}>{line}</h1>
          <p>{since ?? i18n.text("ui.connecting")}</p>
        </div>
      </div>
    </section>
  );
}
