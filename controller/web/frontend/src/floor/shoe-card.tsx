// The shoe for the pit: how far it is dealt, whether it is locked, and the way to all that can be done with it.
import { useI18n } from "../i18n/context";
import type { PitTable } from "./pit-table";

/** Its composition is shown nowhere that a player could look at; the closing count has a page of its own. */
export function ShoeCard({ table: { view, open } }: { table: PitTable }) {
  const i18n = useI18n();
  const { shoe_used: used, shoe } = view;
  return (
    <section class="shoe-box" aria-label={i18n.text("ui.shoe")}>
      <h2>
        {i18n.text("ui.shoe")}
        <span>{i18n.text("ui.shoe_packs", { packs: shoe.decks })}</span>
      </h2>
      <progress
        value={used ?? 0}
        max={1}
        aria-label={i18n.text("ui.shoe_dealt", { percent: Math.round((used ?? 0) * 100) })}
      />
      <p class="quiet">
        {i18n.text("ui.shoe_dealt", { percent: Math.round((used ?? 0) * 100) })}
        {view.cut_card && ` · ${i18n.text("ui.cut_card")}`}
        {shoe.shuffle_due && ` · ${i18n.text("ui.shoe_shuffle_due")}`}
      </p>
      <button type="button" class="key-small" data-key="SHOE" onClick={() => open({ open: "shoe" })}>
        {i18n.text("ui.shoe_open")}
      </button>
    </section>
  );
}
