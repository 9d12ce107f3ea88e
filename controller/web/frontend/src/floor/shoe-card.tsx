// The shoe for the pit: how far it is dealt, its order, what came of each rank, the last count, and the way to its page.

import { useI18n } from "../i18n/context";
import { useFetched } from "../server/fetched";
import { SmallKey } from "../shared/small-key";
import type { ShoeCheck } from "../view";
import type { PitTable } from "./pit-table";

/** What came of the shoe changes with each round; nobody reads it card by card. */
const PACE_MS = 5000;

/** A shoe in so many is worth a second look. */
const SELDOM = 100;

/** The ranks are those of settled rounds, and go to whoever may read these alone. */
export function ShoeCard({ table: { view, open } }: { table: PitTable }) {
  const i18n = useI18n();
  const check = useFetched<ShoeCheck>("/api/shoe", view.seq, PACE_MS);
  const { shoe } = view;
  return (
    <section class="shoe-box" aria-label={i18n.text("ui.shoe")}>
      <h2>
        {i18n.text("ui.shoe")}
        <span>
          {i18n.text("ui.shoe_packs", { packs: shoe.decks })}
          {check && ` · ${i18n.text("ui.shoe_dealt_of", { dealt: check.dealt, size: check.size })}`}
        </span>
      </h2>
      {check && <Checked check={check} />}
      <p class="quiet">
        {view.cut_card && i18n.text("ui.cut_card")}
        {view.cut_card && shoe.shuffle_due && " · "}
        {shoe.shuffle_due && i18n.text("ui.shoe_shuffle_due")}
      </p>
      <SmallKey data-key="SHOE" onClick={() => open({ open: "shoe" })}>
        {i18n.text("ui.shoe_open")}
      </SmallKey>
    </section>
  );
}

function Checked({ check }: { check: ShoeCheck }) {
  const i18n = useI18n();
  const { ranks, each, expected, one_in: oneIn, last_count: last } = check;
  const most = ranks.reduce(
    (best, one) => (one.count > best.count ? one : best),
    ranks[0] ?? { rank: "", count: 0 },
  );
  return (
    <>
      <p class={`order-check ${check.order}`} data-order={check.order}>
        <b>{i18n.text("ui.shoe_order")}</b> {i18n.text(`ui.shoe_order_${check.order}`)}
      </p>
      {ranks.length > 0 && (
        <div
          class="ranks grid gap-4 within weight-700 to-middle"
          role="img"
          aria-label={i18n.text("ui.shoe_ranks")}
        >
          <i class="expected" style={{ bottom: `${20 + (expected / each) * 48}px` }} />
          {ranks.map(({ rank, count }) => (
            <span key={rank} class={rank === most.rank ? "most" : ""}>
              <i class="flex ground-3">
                <i class="whole-width" style={{ height: `${(count / each) * 100}%` }} />
              </i>
              {rank}
            </span>
          ))}
        </div>
      )}
      <dl>
        {ranks.length > 0 && (
          <div class="flex between gap-8">
            <dt>{i18n.text("ui.shoe_most", { rank: most.rank, count: most.count, each })}</dt>
            <dd class="weight-700">
              {oneIn !== null &&
                i18n.text(oneIn < SELDOM ? "ui.shoe_usual" : "ui.shoe_seldom", { count: oneIn })}
            </dd>
          </div>
        )}
        <div class="flex between gap-8" data-count>
          <dt>
            {last ? i18n.text("ui.shoe_last_count", { shoe: last.shoe }) : i18n.text("ui.shoe_not_counted")}
          </dt>
          <dd class="weight-700">
            {last &&
              `${i18n.text(last.missing + last.extra ? "ui.shoe_incomplete" : "ui.shoe_complete", {
                missing: last.missing,
                extra: last.extra,
              })} · ${i18n.clock(last.at_utc_us)}`}
          </dd>
        </div>
      </dl>
    </>
  );
}
