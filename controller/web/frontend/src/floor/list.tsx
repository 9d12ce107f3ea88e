// Parts of the pit's list and detail pages: sections, facts, search, filters, column heads, rows chosen by keys, files.
import type { ComponentChildren, HTMLAttributes } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { LOCALES, useI18n } from "../i18n/i18n";
import { at } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { Money, Words } from "../view";

/** The rows of a list. A region that scrolls is reached by keyboard, too. */
export function Scrolls({ look = "", children }: { look?: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <div class={`scrolls ${look}`} tabIndex={0}>
      {children}
    </div>
  );
}

interface SectionProps extends HTMLAttributes<HTMLElement> {
  /** The key of the text that is its heading and its name. */
  name: string;
  params?: Words["params"];
  head?: "h2" | "h3";
  /** Shown at the end of the heading. */
  beside?: ComponentChildren;
}

/** A named section of a page. */
export function Section({ name, params, head: Head = "h2", beside, children, ...attributes }: SectionProps) {
  const title = useI18n().text(name, params);
  return (
    <section aria-label={title} {...attributes}>
      <Head>
        {title}
        {beside && <span>{beside}</span>}
      </Head>
      {children}
    </section>
  );
}

interface FactsProps {
  look: string;
  /** Name, value and whether it stands out. */
  rows: readonly (readonly ComponentChildren[])[];
}

export function Facts({ look, rows }: FactsProps) {
  return (
    <dl class={look}>
      {rows.map(([term, value, slow]) => (
        <div key={String(term)} class={slow ? "slow" : ""}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FiltersProps<Name extends string> {
  /** The attribute that names each key. */
  attribute: string;
  names: readonly Name[];
  chosen: string | null;
  label: (name: Name) => ComponentChildren;
  onChoose: (name: Name) => void;
}

/** A key for each filter; the chosen one is pressed. */
export function Filters<Name extends string>({
  attribute,
  names,
  chosen,
  label,
  onChoose,
}: FiltersProps<Name>) {
  return names.map((name) => (
    <SmallKey
      key={name}
      {...{ [attribute]: name }}
      aria-pressed={name === chosen}
      onClick={() => onChoose(name)}
    >
      {label(name)}
    </SmallKey>
  ));
}

interface ExportsProps<Form extends string> {
  forms: readonly Form[];
  /** The path of the file, in the folder of this page's table. */
  path: (form: Form) => string;
}

/** A link for each form of file. */
export function Exports<Form extends string>({ forms, path }: ExportsProps<Form>) {
  const i18n = useI18n();
  return forms.map((form) => (
    <a key={form} class="key-small" data-export={form} href={at(path(form))} download>
      {i18n.text(`ui.export_${form}`)}
    </a>
  ));
}

/** A difference by sign, glyph and amount. */
export function Difference({ amount, differs }: { amount: Money; differs: boolean }) {
  const { money } = useI18n();
  return differs ? (
    <b class="differs">! {money(amount.money)}</b>
  ) : (
    <span class="quiet">{money(amount.money)}</span>
  );
}

interface HeadsProps {
  /** The keys of their texts, "" for a column that needs none. */
  heads: readonly string[];
  /** Those of amounts; all but the first where none are named. */
  amounts?: readonly string[];
}

/** What stands in each column. */
export function Heads({ heads, amounts = heads.slice(1) }: HeadsProps) {
  const i18n = useI18n();
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} class={amounts.includes(head) ? "amount" : ""}>
            {head && i18n.text(head)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface SearchProps {
  /** The text that says what can be looked for. */
  name: string;
  find: string;
  onFind: (text: string) => void;
}

/** One field for all that can be looked for; / goes to it. */
export function Search({ name, find, onFind }: SearchProps) {
  const i18n = useI18n();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      name="find"
      maxLength={80}
      placeholder={i18n.text(name)}
      aria-label={i18n.text(name)}
      value={find}
      onInput={(event) => onFind(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") onFind("");
      }}
    />
  );
}

/** Arrow keys choose a row; Enter opens it, N goes to the next difference. */
export function useChosen(
  rows: readonly { name: string; stops?: boolean }[],
  chosen: string | null,
  choose: (name: string) => void,
  open: () => void,
): void {
  // With the rows that are drawn: a key that is pressed as soon as they are seen is for them.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const at = event.target instanceof Element ? event.target : null;
      // A field for a date, a list of names and a dialog have arrows of their own.
      if (document.querySelector("dialog[open]") || at?.closest("select, input:not([type='search'])")) return;
      if (at?.closest("input") && !/Arrow|Enter/.test(event.key)) return;
      if (event.key === "Enter" && at?.closest("a, button")) return;
      const here = rows.findIndex(({ name }) => name === chosen);
      const to = (index: number): void => {
        const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
        if (row) choose(row.name);
      };
      if (event.key === "ArrowDown") to(here + 1);
      else if (event.key === "ArrowUp") to(here - 1);
      else if (event.key === "n") to(rows.findIndex(({ stops }, index) => index > here && stops));
      else if (event.key === "Enter" && rows[here]) open();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

interface MomentFieldProps {
  name: string;
  label: string;
  /** "2026-11-24T22:38", here and now; "" for none. */
  value: string;
  onValue: (value: string) => void;
}

/** What is typed stays while the page goes on. What is typed wrongly gives way to the last moment; an hour alone is of today. */
export function MomentField({ name, label, value, onValue }: MomentFieldProps) {
  const i18n = useI18n();
  const [typed, setTyped] = useState<string | null>(null);
  const form = new Intl.DateTimeFormat(LOCALES[i18n.language], { dateStyle: "short", timeStyle: "short" });
  const shown = value && form.format(new Date(value));
  return (
    <label class="span row gap-8">
      {label}
      <input
        name={name}
        inputMode="numeric"
        size={16}
        placeholder={i18n.text("ui.time_form")}
        value={typed ?? shown}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          setTyped(null);
          const read = momentOf(currentTarget.value, form);
          if (read === null) currentTarget.value = shown;
          else onValue(read);
        }}
      />
    </label>
  );
}

/** The moment that a text means; null where it means none. */
function momentOf(text: string, form: Intl.DateTimeFormat): string | null {
  const typed = text.match(/\d+/g) ?? [];
  if (typed.length === 0) return text.trim() ? null : "";
  const parts = form.formatToParts(new Date()).filter(({ type }) => type !== "literal");
  const left = parts.length - typed.length;
  if (left !== 0 && typed.length !== 2) return null;
  const said = new Map(parts.map(({ type, value }, index) => [type, typed[index - left] ?? value]));
  const two = (type: Intl.DateTimeFormatPartTypes): string => (said.get(type) ?? "").padStart(2, "0");
  const moment = `${two("year").padStart(4, "20")}-${two("month")}-${two("day")}T${two("hour")}:${two("minute")}`;
  return Number.isNaN(Date.parse(moment)) ? null : moment;
}
