// Why the table waits, for the pit: the rule, the evidence, and a key for each way out that the house allows.
import { useI18n } from "../i18n/context";
import { placedCard } from "../i18n/sentences";
import type { HoldRow, TableView } from "../view";
import type { Dialog } from "./dialog-kinds";
import { wayDialog } from "./ways";

/** A card of the shoe's rest that is one too many: the usual answer is no ruling on a round, but a new count. */
const REST_EXTRA = "REST_CARD_EXTRA";

interface Props {
  view: TableView;
  off: boolean;
  onOpen: (dialog: Dialog) => void;
}

/** One row for each hold that has ways out; a hold without any is lifted by Go on. */
export function HoldList({ view, off, onOpen }: Props) {
  const i18n = useI18n();
  const holds = view.holds.filter((hold) => hold.ways.length > 0);
  if (holds.length === 0) return null;
  return (
    <section class="hold-list scroll-y ground-1" aria-label={i18n.text("ui.holds")}>
      {holds.map((hold) => (
        <Hold key={`${hold.code}.${hold.since_utc_us}`} hold={hold} view={view} off={off} onOpen={onOpen} />
      ))}
    </section>
  );
}

function Hold({ hold, view, off, onOpen }: Props & { hold: HoldRow }) {
  const i18n = useI18n();
  return (
    <article data-hold={hold.code}>
      <div>
        <p>
          <b>!</b> {i18n.say(hold.text)}
        </p>
        {hold.rule_text && <p class="rule">{i18n.say(hold.rule_text)}</p>}
        <small>{evidence(hold, view, i18n).join(" · ")}</small>
      </div>
      <ul>
        {hold.code === REST_EXTRA && <TakeOut off={off} onOpen={onOpen} />}
        {hold.ways.map((way, index) => {
          const dialog = wayDialog(view, hold, way);
          return (
            <li key={way}>
              <button
                type="button"
                class={index === 0 && hold.code !== REST_EXTRA ? "plain main" : "plain"}
                data-way={way}
                disabled={off || dialog === null}
                onClick={() => dialog && onOpen(dialog)}
              >
                <span class="sentence">{i18n.text(`way.${way}`)}</span>
                {dialog === null && <small>{i18n.text("note.TAP_CARD")}</small>}
              </button>
            </li>
          );
        })}
      </ul>
    </article>
  );
}

/** Which card of the rest was read twice stands in the count, which the server shows to the pit alone. */
function TakeOut({ off, onOpen }: Pick<Props, "off" | "onOpen">) {
  const i18n = useI18n();
  return (
    <li>
      <button
        type="button"
        class="plain main"
        data-key="REST_TWICE"
        disabled={off}
        onClick={() => onOpen({ open: "counted" })}
      >
        {i18n.text("key.REST_TWICE")}
      </button>
    </li>
  );
}

/** The card that does not fit and who read it, since when the table waits, the rule, who lifts it. */
function evidence(hold: HoldRow, view: TableView, i18n: ReturnType<typeof useI18n>): string[] {
  const card = hold.card > 0 && hold.round === view.round ? [placedCard(view, hold.card, i18n)] : [];
  const read = hold.read ? [i18n.say(hold.read)] : [];
  const rule = hold.rule ? [i18n.say(hold.rule)] : [];
  return [
    ...card,
    ...read,
    i18n.text("ui.since", { time: i18n.clock(hold.since_utc_us) }),
    ...rule,
    i18n.text(`ui.release_${hold.release}`),
  ];
}
