// A table of the floor that is not played any more: how it was left, to look at.

import { useI18n } from "../i18n/context";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/prompt-of";
import type { TableView } from "../view";

/** Nothing on it can be pressed. */
export function RecordedTable({ view }: { view: TableView }) {
  const i18n = useI18n();
  const prompt = promptOf(view);
  return (
    <section class="live recorded" aria-label={view.table} data-recorded={view.table}>
      <header>
        <b>{view.table}</b>
        <span class="quiet">
          {i18n.text("ui.round")} {view.round}
        </span>
        <strong class="line tone-push">{i18n.text("ui.tile_recorded")}</strong>
        <span class="quiet">{i18n.say(prompt.line)}</span>
      </header>
      <div class="felt">
        <FittedTable
          view={view}
          prompt={prompt}
          from="pit"
          selected={null}
          lays={false}
          onBox={undefined}
          onCard={undefined}
        />
      </div>
    </section>
  );
}
