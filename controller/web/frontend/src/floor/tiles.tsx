// The tables of the floor in the order of the plan: what each waits for, its seats, pace, win and dealer.
import { useI18n } from "../i18n/context";
import type { Tile } from "../view";

interface Props {
  tiles: readonly Tile[];
  chosen: string;
  onChoose: (tile: Tile) => void;
}

/** Tiles never change places: a pit knows a table by where it stands. */
export function Tiles({ tiles, chosen, onChoose }: Props) {
  const i18n = useI18n();
  return (
    <section aria-label={i18n.text("ui.page_tables")}>
      <h2>
        {i18n.text("ui.page_tables")}
        <span>{i18n.text("ui.tables_order")}</span>
      </h2>
      <div class="tiles">
        {tiles.map((tile) => (
          <button
            key={tile.table}
            type="button"
            class={`tile tone-${tile.tone}`}
            data-tile={tile.table}
            aria-pressed={tile.table === chosen}
            disabled={!tile.opens}
            onClick={() => onChoose(tile)}
          >
            <span class="tile-head">
              <b>{tile.table}</b>
              <em>
                {i18n.say(tile.line)}
                {tile.elsewhere && !tile.unread && ` · ${i18n.clock(tile.at_utc_us)}`}
              </em>
            </span>
            {!tile.unread && (
              <>
                <Seats tile={tile} />
                <span class="tile-figures">
                  <Figure name="ui.tile_hands">{tile.hands === null ? "–" : i18n.number(tile.hands)}</Figure>
                  <Figure name="ui.tile_win">{i18n.money(tile.win.money)}</Figure>
                  <Figure name="ui.tile_dealer">{tile.dealer || "–"}</Figure>
                </span>
              </>
            )}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Seven seats from the pit's side: box 1 at the right. */
function Seats({ tile }: { tile: Tile }) {
  const middle = (tile.seats.length - 1) / 2;
  const seats = tile.seats.map((seat, index) => ({ seat, box: index + 1 })).reverse();
  return (
    <span class="tile-seats" aria-hidden="true">
      {seats.map(({ seat, box }) => (
        <i
          key={box}
          class={seat}
          style={{ marginTop: `${Math.round(15 - Math.abs(box - 1 - middle) * 5)}px` }}
        >
          {box}
        </i>
      ))}
    </span>
  );
}

function Figure({ name, children }: { name: string; children: string }) {
  const i18n = useI18n();
  return (
    <span>
      <small>{i18n.text(name)}</small>
      <b>{children}</b>
    </span>
  );
}
