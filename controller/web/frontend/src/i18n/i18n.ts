// The texts, numbers and amounts of a language, and the language that the page has.
import { IntlMessageFormat } from "intl-messageformat";
import { createContext } from "preact";
import { useCallback, useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { at } from "../server/http";
import type { ChipStack, Money, Word, Words } from "../view";
import type { Suit } from "../vocabulary";

/** "22,5" and "22.50" as 2250; null where it is no amount. No float is made on the way. */
export function minorUnits(typed: string): number | null {
  const parts = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(typed.trim());
  return parts ? Number(`${parts[1]}${(parts[2] ?? "").padEnd(2, "0")}`) : null;
}

/** 2250 as "22.50", as amounts stand on their way to a screen; of a currency without decimals as "2250". */
export function decimals(minor: number, digits = 2): string {
  const unit = 10 ** digits;
  return `${Math.floor(minor / unit)}${digits ? `.${String(minor % unit).padStart(digits, "0")}` : ""}`;
}

/** The decimals with which an amount comes: those of its currency. */
export const digitsOf = (amount: string): number => amount.split(".")[1]?.length ?? 0;

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

/** Null until the first catalogue has been loaded. */
export const I18nContext = createContext<I18n | null>(null);

/** Texts, amounts and times in the reader's language; throws outside the app, where no catalogue has been loaded. */
export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error("useI18n needs an I18nContext above it");
  return i18n;
}

const AGAIN_MS = 1000;

/**
 * The reader's texts, null until they have come, and how to choose others: the language of last time at first.
 * The dealer's page (`atTheTable`) fetches the texts of other pages only when it is asked for one of them.
 */
export function useLanguage(atTheTable = false): { i18n: I18n | null; choose: (language: Language) => void } {
  const [i18n, setI18n] = useState<I18n | null>(null);
  const newest = useRef(0);
  const choose = useCallback(
    (language: Language): void => {
      newest.current += 1;
      const own = newest.current;
      let short = atTheTable;
      const load = (onLack?: () => void): void => {
        void untilLoaded(language, () => own === newest.current, onLack).then(
          (loaded) => loaded && setI18n(loaded),
        );
      };
      const loadWhole = (): void => {
        if (short) load();
        short = false;
      };
      load(short ? loadWhole : undefined);
    },
    [atTheTable],
  );
  // In a layout effect: another one waits until the page has been painted.
  useLayoutEffect(() => {
    choose(keptLanguage());
    return () => {
      newest.current += 1;
    };
  }, [choose]);
  return { i18n, choose };
}

/** Fetches again where the server did not answer; null once another language has been chosen. */
async function untilLoaded(
  language: Language,
  isChosen: () => boolean,
  onLack?: () => void,
): Promise<I18n | null> {
  while (isChosen()) {
    const loaded = await loadI18n(language, isChosen, onLack).catch(() => undefined);
    if (loaded !== undefined) return loaded;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return null;
}
