// Texts and amounts in the reader's language. Codes come from the server, sentences from the catalogues.
import type { Chips, Money, Word, Words } from "../view";

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

const LOCALES: Record<Language, string> = { en: "en-GB", nl: "nl-NL", de: "de-DE", fr: "fr-FR", it: "it-IT" };
const KEPT = "stand17.language";

/** Everything that depends on who reads: sentences, amounts, times. */
export interface I18n {
  language: Language;
  /** The sentence of a code that the server sent, with its holes filled. */
  say(words: Words): string;
  /** The sentence of a key; the key itself where the catalogue lacks it. */
  text(code: string, params?: Words["params"]): string;
  /** "22.50" as the reader writes it; cents only where there are some. */
  money(amount: string): string;
  /** Hours and minutes, here and now, of a time in microseconds since 1970. */
  clock(utcUs: number): string;
}

/** The language that this tablet was last used in, else its own, else English. */
export function keptLanguage(): Language {
  const kept = localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2);
  return LANGUAGES.find((language) => language === kept) ?? "en";
}

/** Fetches the catalogue of a language, and keeps the choice for the next start. */
export async function loadI18n(language: Language): Promise<I18n> {
  const answer = await fetch(`/api/catalogue/${language}`);
  if (!answer.ok) throw new Error(`catalogue ${language}: ${answer.status}`);
  const texts = (await answer.json()) as Record<string, string>;
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
  return createI18n(language, texts);
}

/** What `loadI18n` makes of a catalogue. */
export function createI18n(language: Language, texts: Record<string, string>): I18n {
  const locale = LOCALES[language];
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const split = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

  const money = (amount: string): string => {
    // A decimal string goes to Intl as it is: amounts are never made floats here.
    const exact = amount as `${number}`;
    return /\.0*[1-9]/.test(amount) ? split.format(exact) : whole.format(exact);
  };
  const chips = (stack: Chips["chips"]): string =>
    stack.map(([value, count]) => `${count} × ${money(value)}`).join(" + ");
  const fill = (value: number | string | Money | Chips | Word): string => {
    if (typeof value !== "object") return String(value);
    if ("word" in value) return texts[value.word] ?? value.word;
    return "money" in value ? money(value.money) : chips(value.chips);
  };
  const text = (code: string, params: Words["params"] = {}): string =>
    (texts[code] ?? code).replace(/\{(\w+)\}/g, (hole, name: string) => {
      const value = params[name];
      return value === undefined ? hole : fill(value);
    });
  return {
    language,
    money,
    text,
    say: (words) => text(words.code, words.params),
    clock: (utcUs) => time.format(utcUs / 1000),
  };
}
