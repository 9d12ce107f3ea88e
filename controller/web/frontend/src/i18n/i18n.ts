// Texts and amounts in the reader's language. Codes come from the server, sentences from the catalogues.
import { IntlMessageFormat } from "intl-messageformat";
import { at } from "../server/base";
import type { ChipStack, Money, Word, Words } from "../view";
import type { Suit } from "../vocabulary";
import { digitsOf } from "./minor-units";

/** The languages that there are catalogues for. */
export const LANGUAGES = ["en", "nl", "de", "fr", "it"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language in its own words. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  nl: "Nederlands",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
};

export const LOCALES = { en: "en-GB", nl: "nl-NL", de: "de-DE", fr: "fr-FR", it: "it-IT" } as const;
const KEPT = "stand17.language";

/** The suits' signs by their letters. */
export const SUIT_SIGNS: Record<Suit, string> = { c: "♣", d: "♦", h: "♥", s: "♠" };

/** A word of a search with the sign of its suit: "qc" looks for q♣. */
export const cardSought = (word: string): string =>
  word.replace(/^(10|[2-9ajqk])([shdc])$/, (_, rank: string, suit: Suit) => rank + SUIT_SIGNS[suit]);
/** What a refusal says of cards, the only words that come with them as the journal names them. */
const CARD_HOLES = new Set(["card", "seen", "was"]);
const withSigns = (cards: string): string =>
  cards.replace(
    /\b(10|[2-9AJQK])([cdhs])\b/g,
    (_, rank: string, suit: string) => rank + SUIT_SIGNS[suit as Suit],
  );

/** French puts a space before a colon; no line begins with one. */
const kept = (sentence: string): string =>
  sentence.replace(/ ([:;?!»])/g, "\u00a0$1").replace("« ", "«\u00a0");

/** Everything that depends on who reads: sentences, amounts, times. */
export interface I18n {
  language: Language;
  /** The sentence of a code that the server sent, with its holes filled. */
  say(words: Words): string;
  /** The sentence of a key; the key itself where no catalogue has it, `…` until the whole catalogue has come. */
  text(code: string, params?: Words["params"]): string;
  /** What fills a hole of a text, by itself: a word or an amount. */
  value(value: string | number | Money | ChipStack | Word): string;
  /** Whether the catalogue has a text of this key. */
  knows(code: string): boolean;
  /** "22.50" as the reader writes it, with as many decimals, and with its sign where it moves ("+22.50"). */
  money(amount: string): string;
  /** The same as short as it can be, for what is written on chips: cents only where there are some. */
  chips(amount: string): string;
  /** A sum of money that a chart has as a number, with its sign where it `moves`. */
  sum(amount: number, moves?: boolean): string;
  /** A number of things, with so many decimals. */
  number(value: number, decimals?: number): string;
  /** Hours and minutes, here and now, of a time in microseconds since 1970; with seconds where they count. */
  clock(utcUs: number, seconds?: boolean): string;
  /** Day and month with the weekday. */
  day(utcUs: number): string;
}

/** The language that this tablet was last used in, else its own, else English. */
export function keptLanguage(): Language {
  const kept = localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2);
  return LANGUAGES.find((language) => language === kept) ?? "en";
}

/**
 * Fetches the catalogue of a language, and keeps the choice for the next start; null where it is chosen no more.
 * With `onLack` it is the dealer's page's, without the texts of other pages; `onLack` runs where such a text is asked for.
 */
export async function loadI18n(
  language: Language,
  isChosen = (): boolean => true,
  onLack?: () => void,
): Promise<I18n | null> {
  const answer = await fetch(at(`/api/catalogue/${language}${onLack ? "?at_the_table=true" : ""}`));
  if (!answer.ok) throw new Error(`catalogue ${language}: ${answer.status}`);
  const texts = (await answer.json()) as Record<string, string>;
  if (!isChosen()) return null;
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
  return createI18n(language, texts, onLack);
}

/** What `loadI18n` makes of a catalogue. */
export function createI18n(language: Language, texts: Record<string, string>, onLack?: () => void): I18n {
  const locale = LOCALES[language];
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const exact = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const day = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short" });
  const plurals = new Map<string, IntlMessageFormat>();
  const splits = new Map<number, Intl.NumberFormat>();

  /** An amount without its sign, with as many decimals as it comes with: those of its currency. */
  const split = (amount: string): string => {
    const digits = digitsOf(amount);
    const format =
      splits.get(digits) ??
      new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    splits.set(digits, format);
    return format.format(amount as `${number}`);
  };

  // A decimal string goes to Intl as it is: amounts are never made floats here.
  const money = (amount: string): string => {
    const sign = amount.startsWith("+") ? "+" : amount.startsWith("-") ? "−" : "";
    return sign + split(amount.replace(/^[+-]/, ""));
  };
  const short = (amount: string): string =>
    /\.0*[1-9]/.test(amount) ? split(amount) : whole.format(amount as `${number}`);
  const chips = (stack: ChipStack["chips"]): string =>
    stack.map(([value, count]) => `${count} × ${short(value)}`).join(" + ");
  const number = (value: number, decimals = 0): string =>
    value
      .toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
      .replace("-", "−");
  const fill = (value: number | string | Money | ChipStack | Word): string => {
    if (typeof value !== "object") {
      // A measured number such as "97.25" comes as text: its decimal sign is the reader's, too.
      const decimals = /^-?\d+\.(\d+)$/.exec(String(value))?.[1];
      return decimals ? number(Number(value), decimals.length) : String(value);
    }
    if ("word" in value) return text(value.word, value.params);
    return "money" in value ? money(value.money) : chips(value.chips);
  };
  /** The form for a number of things, by the rules of the language. */
  const counted = (pattern: string, params: NonNullable<Words["params"]>): string => {
    const format = plurals.get(pattern) ?? new IntlMessageFormat(pattern, locale);
    plurals.set(pattern, format);
    const values = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "number" ? value : fill(value),
    ]);
    try {
      return String(format.format(Object.fromEntries(values)));
    } catch {
      // A hole that nothing fills stands as it is, as in other texts: a page that ended here would show an older table.
      return pattern;
    }
  };
  const text = (code: string, params: Words["params"] = {}): string => {
    if (onLack && !(code in texts)) {
      onLack();
      return "…";
    }
    const pattern = language === "fr" ? kept(texts[code] ?? code) : (texts[code] ?? code);
    if (pattern.includes(", plural,")) return counted(pattern, params);
    return pattern.replace(/\{(\w+)\}/g, (hole, name: string) => {
      const value = params[name];
      if (typeof value === "string" && CARD_HOLES.has(name)) return withSigns(value);
      return value === undefined ? hole : fill(value);
    });
  };
  return {
    language,
    money,
    chips: short,
    number,
    sum: (amount, moves = true) => money(`${moves && amount > 0 ? "+" : ""}${amount.toFixed(2)}`),
    text,
    value: fill,
    knows: (code) => code in texts,
    say: (words) => text(words.code, words.params),
    clock: (utcUs, seconds = false) => (seconds ? exact : time).format(utcUs / 1000),
    day: (utcUs) => day.format(utcUs / 1000),
  };
}
