// Three small panels below the ledger: the win against what was expected, where the seconds go, the books.
import { useI18n } from "../i18n/context";
import { roundAddress } from "../shared/address";
import type { PhasePace } from "../view";
import { useShift } from "./shift";

const WIDTH = 260;
const HEIGHT = 64;

/** The curve of the win with the band of two standard deviations around what the rules let expect. */
export function WinAgainst() {
  const i18n = useI18n();
  const { figures } = useShift();
  if (!figures) return <section class="panel" />;
  const { won, expected, band } = figures.win;
  const last = won.at(-1) ?? 0;
  const high = expected.map((value, index) => value + (band[index] ?? 0));
  const low = expected.map((value, index) => value - (band[index] ?? 0));
  const all = [...won, ...high, ...low, 0];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const point = (value: number, index: number): string =>
    `${((index / Math.max(won.length - 1, 1)) * WIDTH).toFixed(1)},${(HEIGHT - ((value - least) / (most - least || 1)) * HEIGHT).toFixed(1)}`;
  return (
    <section class="panel" aria-label={i18n.text("ui.panel_win")} data-panel="win">
      <h3>{i18n.text("ui.panel_win")}</h3>
      <p>
        <strong>{i18n.sum(last)}</strong>{" "}
        {expected.length > 0 && (
          <small>{i18n.text("ui.panel_expected", { amount: i18n.sum(expected.at(-1) ?? 0) })}</small>
        )}
      </p>
      <svg
        class="whole-width"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {expected.length > 0 && (
          <polygon class="band" points={[...high.map(point), ...low.map(point).reverse()].join(" ")} />
        )}
        <polyline class="expected" points={expected.map(point).join(" ")} />
        <polyline class="won" points={won.map(point).join(" ")} />
      </svg>
    </section>
  );
}

/** The mean seconds of each part of a round: of who deals now, and beside it of the median dealer. */
export function Seconds() {
  const i18n = useI18n();
  const phases = useShift().figures?.phases ?? [];
  const slow = slowest(phases);
  const sum = phases
    .filter((phase) => phase.name !== "waits")
    .reduce((all, phase) => all + (phase.dealer ?? phase.seconds), 0);
  return (
    <section class="panel" aria-label={i18n.text("ui.panel_seconds")} data-panel="seconds">
      <h3>{i18n.text("ui.panel_seconds")}</h3>
      <p>
        <strong>{i18n.text("ui.seconds", { seconds: sum })}</strong>{" "}
        <small>{i18n.text("ui.panel_a_round")}</small>
      </p>
      <div class="seconds-bar flex" aria-hidden="true">
        {phases.map((phase) => (
          <i
            key={phase.name}
            class={phase.name === slow ? "slow" : ""}
            style={{ flex: Math.max(phase.dealer ?? phase.seconds, 1) }}
          />
        ))}
      </div>
      <dl class="grid text-small soft">
        {phases.map((phase) => (
          <div key={phase.name} class={phase.name === slow ? "slow" : ""}>
            <dt>{i18n.text(`phase.${phase.name}`)}</dt>
            <dd>
              {phase.dealer ?? phase.seconds}
              {phase.median !== null && (
                <small> {i18n.text("ui.median_dealer", { seconds: phase.median })}</small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const SLOW = 1.2;

/** The phase that takes the dealer longest beside the median dealer, and a fifth longer at least. */
function slowest(phases: readonly PhasePace[]): string | undefined {
  const beyond = ({ dealer, seconds, median }: PhasePace): number =>
    median ? (dealer ?? seconds) / median : 0;
  const first = [...phases].sort((one, other) => beyond(other) - beyond(one))[0];
  return first && beyond(first) > SLOW ? first.name : undefined;
}

/** The float as it ought to be, how it was opened, the last fill, the drop; at closing what may explain a difference. */
export function Books() {
  const i18n = useI18n();
  const books = useShift().figures?.books;
  const rows = [
    { name: "opened", amount: books?.opened },
    { name: "fill", amount: books?.fill },
    { name: "drop", amount: books?.drop },
    ...(books?.counted ? [{ name: "counted", amount: books.counted } as const] : []),
    ...(books?.difference ? [{ name: "difference", amount: books.difference } as const] : []),
  ] as const;
  return (
    <section class="panel" aria-label={i18n.text("ui.panel_books")} data-panel="books">
      <h3>{i18n.text("ui.panel_books")}</h3>
      <p>
        <strong>{books?.float_now ? i18n.money(books.float_now.money) : "–"}</strong>{" "}
        <small>{i18n.text(books?.float_now ? "ui.books_float" : "ui.books_not_counted")}</small>
      </p>
      <dl class="grid text-small soft">
        {rows.map(({ name, amount }) => (
          <div key={name}>
            <dt>{i18n.text(`ui.books_${name}`)}</dt>
            <dd>{amount ? i18n.money(amount.money) : "–"}</dd>
          </div>
        ))}
      </dl>
      {books && books.explained.length > 0 && (
        <>
          <h4 class="text-small">{i18n.text("ui.books_explained")}</h4>
          <ol class="explained text-small">
            {books.explained.map(({ text, round }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two payouts of a round may read alike
              <li key={at}>
                <a href={roundAddress(round)}>{i18n.say(text)}</a>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
