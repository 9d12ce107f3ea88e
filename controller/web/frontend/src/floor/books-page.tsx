// The money of one table: its float, what moved it, a key and a short form for each movement, and closing as one row.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { stepsOf } from "../pit/alerts";
import { MoneyForm, MoneyKeys, type MoneyKind, type VoidedSlip } from "../pit/money";
import { ALERT_REASONS, type AlertReason, Reasons, WithSecond } from "../pit/ruling";
import { roundAddress } from "../server/http";
import { promptOf } from "../shared/instruction-bar";
import { SmallKey } from "../shared/keys";
import type { Books, Money, Movement } from "../view";
import { Facts, Heads, Scrolls, Section } from "./list";
import type { PitTable } from "./live-table";
import { addressOf, Link, useShift } from "./place";

type Form = MoneyKind | VoidedSlip;

/** Nothing is open beforehand; what is recorded stands on top of the list. */
export function BooksPage({ table }: { table: PitTable }) {
  const i18n = useI18n();
  const { view, off, commands } = table;
  const books = useShift().figures?.books ?? null;
  const [form, setForm] = useState<Form | null>(null);
  const prompt = promptOf(view);
  const key = typeof form === "object" ? `${form?.kind} ${form?.slip}` : form;
  return (
    <main class="books-page grid fill low">
      <header class="page-head live-strip edge-below" data-tone={prompt.tone}>
        <h1>{i18n.text("ui.books_of", { table: view.table })}</h1>
        <strong class={`weight-800 size-18 line tone-${prompt.tone}`}>{i18n.say(prompt.line)}</strong>
      </header>
      <Float books={books} />
      <section class="books-middle">
        <MoneyKeys chosen={typeof form === "string" ? form : null} off={off} onChoose={setForm} />
        {form && (
          <WithSecond key={key} commands={commands}>
            <MoneyForm
              kind={form}
              actor={commands.person.actor}
              view={view}
              off={off}
              float={books?.float_now?.money ?? ""}
              onApply={(act, seq) =>
                void commands.run("APPLY", [act], seq).then((done) => done && setForm(null))
              }
              onCancel={() => setForm(null)}
            />
          </WithSecond>
        )}
      </section>
      <Movements books={books} off={off} onVoid={setForm} />
      <Closing table={table} books={books} onForm={setForm} />
    </main>
  );
}

/** "not entered" where nobody has: never 0. */
function useAmount() {
  const i18n = useI18n();
  return (amount: Money | null | undefined): string =>
    amount ? i18n.money(amount.money) : i18n.text("ui.not_entered");
}

function Float({ books }: { books: Books | null }) {
  const i18n = useI18n();
  const amount = useAmount();
  const sums = [
    ["opened", books?.opened],
    ["fills", books?.fills],
    ["credits", books?.credits],
    ["drop", books?.drop],
    ["win", books?.win],
    ...(books?.counted ? [["counted", books.counted] as const] : []),
  ] as const;
  return (
    <section class="books-float panel" aria-label={i18n.text("ui.panel_books")}>
      <h2>{i18n.text("ui.float_expected")}</h2>
      <p>
        <strong data-float>{books?.float_now ? amount(books.float_now) : "–"}</strong>{" "}
        <small>{i18n.text(books?.float_now ? "ui.books_by_rounds" : "ui.books_not_counted")}</small>
      </p>
      <Facts
        look="text-small soft block"
        rows={sums.map(([name, sum]) => [i18n.text(`ui.books_${name}`), amount(sum)])}
      />
    </section>
  );
}

interface MovementsProps {
  books: Books | null;
  off: boolean;
  onVoid: (slip: VoidedSlip) => void;
}

/** Newest first; a void one is struck through, and the entry that took it back stands above it with its reason. */
function Movements({ books, off, onVoid }: MovementsProps) {
  const i18n = useI18n();
  const rows = books?.movements ?? [];
  return (
    <Section class="books-list" name="ui.movements">
      <Scrolls>
        <table>
          <Heads
            heads={["ui.time", "ui.movement", "ui.slip", "ui.to_the_float", "ui.signed_by", ""]}
            amounts={["ui.to_the_float"]}
          />
          <tbody>
            {rows.map((row) => (
              <Row key={row.seq} row={row} off={off} onVoid={onVoid} />
            ))}
          </tbody>
        </table>
        {books && rows.length === 0 && <p class="quiet">{i18n.text("ui.movements_none")}</p>}
      </Scrolls>
    </Section>
  );
}

function Row({ row, off, onVoid }: { row: Movement } & Omit<MovementsProps, "books">) {
  const i18n = useI18n();
  const { what, slip, void: voided } = row;
  const name = i18n.text(voided === "voids" ? `books.void_${what}` : `books.${what}`);
  const struck = voided === "struck";
  const written = (text: string) => (struck ? <s>{text}</s> : text);
  const counts = what === "open" || what === "check" || what === "close";
  return (
    <tr data-movement={row.seq} data-void={voided || undefined}>
      <td>{i18n.clock(row.at_utc_us)}</td>
      <td>
        {written(name)}
        {voided === "voids" && <small> {i18n.value(row.reason)}</small>}
        {row.difference && <b class="differs"> ! {i18n.money(row.difference.money)}</b>}
      </td>
      <td>{written(slip)}</td>
      <td class="amount">{written((counts ? "= " : "") + i18n.money(row.amount.money))}</td>
      <td>{[row.by, row.second].filter(Boolean).join(", ")}</td>
      <td>
        {!counts && voided === "" && slip !== "" && (
          <SmallKey
            data-key="VOID_SLIP"
            aria-label={i18n.text(`books.void_${what}`)}
            disabled={off}
            onClick={() => onVoid({ kind: what, slip })}
          >
            {i18n.text("key.VOID_DOTS")}
          </SmallKey>
        )}
      </td>
    </tr>
  );
}

interface ClosingProps {
  table: PitTable;
  books: Books | null;
  onForm: (form: Form) => void;
}

/** Five steps, each with its result; what is left half done stays as it is. */
function Closing({ table, books, onForm }: ClosingProps) {
  const i18n = useI18n();
  const amount = useAmount();
  const { view, off, go } = table;
  const counted = books?.counted ?? null;
  const differs = books?.difference ?? null;
  const alert = view.alerts.find(({ text }) => text.code === "alert.FLOAT_DIFFERS");
  const steps = [
    {
      name: "count",
      done: counted !== null,
      said: amount(counted),
      body: (
        <SmallKey data-step="count" disabled={off} onClick={() => onForm("close")}>
          {i18n.text(counted ? "ui.count_again" : "money.close")}
        </SmallKey>
      ),
    },
    {
      name: "drop",
      done: books?.drop != null,
      said: amount(books?.drop),
      body: (
        <SmallKey data-step="drop" disabled={off} onClick={() => onForm("drop")}>
          {i18n.text("money.drop")}
        </SmallKey>
      ),
    },
    {
      name: "difference",
      done: counted !== null && (differs === null || alert === undefined),
      said: counted ? (differs ? `! ${amount(differs)}` : i18n.text("ui.no_difference")) : "–",
      body: (
        <>
          {books && books.explained.length > 0 && <p class="quiet">{i18n.text("ui.look_first")}</p>}
          {books?.explained.map(({ text, round }, index) => (
            <Link
              // biome-ignore lint/suspicious/noArrayIndexKey: two payouts of a round may read alike.
              key={index}
              to={roundAddress(round)}
              go={go}
              class="key-small"
              name={`explained-${round}`}
            >
              {i18n.say(text)} ›
            </Link>
          ))}
          {alert && <Accept table={table} alert={alert} amount={amount(differs)} />}
        </>
      ),
    },
    {
      name: "sign",
      done: false,
      said: "",
      body: (
        <SmallKey data-step="sign" disabled={off || counted === null} onClick={() => onForm("day")}>
          {i18n.text("books.day_closed")}
        </SmallKey>
      ),
    },
    {
      name: "report",
      done: false,
      said: "",
      body: (
        <Link to={addressOf("report")} go={go} name="to-report" class="key-small">
          {i18n.text("ui.page_report")}
        </Link>
      ),
    },
  ];
  return (
    <Section class="closing" name="ui.closing">
      <ol class="grid gap-8">
        {steps.map(({ name, done, said, body }, index) => (
          <li class="stack gap-6 edge round-10" key={name} data-closing={name} data-done={done}>
            <h3>
              <i class="upright ground-3 circle" aria-hidden="true">
                {done ? "✓" : index + 1}
              </i>{" "}
              {i18n.text(`ui.closing_${name}`)}
            </h3>
            {said && <strong class={name === "difference" && differs ? "differs" : ""}>{said}</strong>}
            {body}
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface AcceptProps {
  table: PitTable;
  alert: PitTable["view"]["alerts"][number];
  amount: string;
}

/** The difference stands: with a reason, under the name of whoever accepts it. */
function Accept({ table: { commands, off }, alert, amount }: AcceptProps) {
  const i18n = useI18n();
  const [asks, setAsks] = useState(false);
  const accept = (reason: AlertReason): void => void commands.run("ALERT", stepsOf(alert, "resolve", reason));
  return asks ? (
    <Reasons reasons={ALERT_REASONS} chosen={null} onChoose={accept} />
  ) : (
    <SmallKey data-step="accept" disabled={off} onClick={() => setAsks(true)}>
      {i18n.text("ui.accept_difference", { amount })}
    </SmallKey>
  );
}
