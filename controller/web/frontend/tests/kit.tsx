// Views as the server sends them, and a page around a component: real catalogues, no server.
import { render } from "@testing-library/preact";
import type { ComponentChildren } from "preact";
import { vi } from "vitest";
import de from "../../../i18n/de.json";
import en from "../../../i18n/en.json";
import fr from "../../../i18n/fr.json";
import it from "../../../i18n/it.json";
import nl from "../../../i18n/nl.json";
import { createI18n, type I18n, I18nContext, type Language } from "../src/i18n/i18n";
import type {
  AlertRow,
  BoxView,
  HandView,
  HoldRow,
  Key,
  OpenCard,
  Pad,
  Preview,
  Prompt,
  SessionView,
  ShoeView,
  TableView,
  Words,
} from "../src/view";

/** The texts as the server serves them: it alone reads which holes are amounts. */
const served = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text.replace(/:(?:money|word)\}/g, "}")]),
  );

export const CATALOGUES: Record<Language, Record<string, string>> = {
  en: served(en),
  nl: served(nl),
  de: served(de),
  fr: served(fr),
  it: served(it),
};

export const i18nOf = (language: Language): I18n => createI18n(language, CATALOGUES[language]);

/** Renders below the context of a language, as the app does. */
export function show(children: ComponentChildren, language: Language = "en") {
  const within = (inner: ComponentChildren) => (
    <I18nContext.Provider value={i18nOf(language)}>{inner}</I18nContext.Provider>
  );
  const shown = render(within(children));
  return { ...shown, again: (next: ComponentChildren): void => shown.rerender(within(next)) };
}

/** The session of a screen at which D-1 deals. */
export const sessionView = (changes: Partial<SessionView> = {}): SessionView => ({
  screen: { id: "D-1", name: "Dealer One", role: "dealer" },
  pit: null,
  guest: null,
  left_s: 100,
  table: "BJ 04",
  house: "spielbank",
  card_prefix: "",
  demo_pin: "",
  ...changes,
});

/** An open alert of this journal entry that nothing is known of. */
export const alertRow = (number: number, changes: Partial<AlertRow> = {}): AlertRow => ({
  alert: number,
  text: words("alert.SHOE_LID_OPEN"),
  severity: "warning",
  round: 1,
  at_utc_us: 0,
  since_utc_us: 0,
  status: "open",
  by: "",
  note: "",
  alerts: [number],
  box: -1,
  money: null,
  holds: false,
  held: null,
  ...changes,
});

export const words = (code: string, params: Words["params"] = {}): Words => ({ code, params });

export function key(name: string, changes: Partial<Key> = {}): Key {
  return {
    key: name,
    label: words(`key.${name}`),
    enabled: true,
    main: false,
    pressed: null,
    hotkeys: [],
    note: null,
    acts: [{ do: "handled", round: 1, box: 1 }],
    opens: null,
    ...changes,
  };
}

export const pad = (changes: Partial<Pad> = {}): Pad => ({
  title: words("ui.pad_title"),
  rank_obs: { obs: "correct", card: 4, by: "dealer", reason: "UNREAD" },
  not_a_card: null,
  face_down: null,
  guesses: [],
  watched: false,
  picture: null,
  ...changes,
});

export const prompt = (changes: Partial<Prompt> = {}): Prompt => ({
  line: words("line.PLAYER", { box: 1, total: "16" }),
  tone: "act",
  icon: "turn",
  detail: [],
  chips: [],
  side: null,
  bar: {
    keys: [key("STAND", { main: true }), key("CALL_PIT")],
    chips: [],
    info: null,
    info_note: null,
    settling: null,
  },
  pad: null,
  pad_opens: false,
  amount_for: null,
  box: 1,
  hand: 1,
  dealer: false,
  ...changes,
});

export const card = (number: number, name: string): OpenCard => ({
  card: number,
  rank: name === "?" ? null : name.slice(0, -1),
  suit: name === "?" ? null : name.slice(-1),
  across: false,
});

export const hand = (cards: HandView["cards"], changes: Partial<HandView> = {}): HandView => ({
  hand: 1,
  cards,
  total: "16",
  blackjack: false,
  doubled: false,
  active: false,
  outcome: null,
  ...changes,
});

export const box = (number: number, changes: Partial<BoxView> = {}): BoxView => ({
  box: number,
  stake: "25.00",
  chips: [["25.00", 1]],
  seats: [{ seat: 0, stake: "25.00", chips: [["25.00", 1]], insurance: null, short: null }],
  hands: [],
  active: false,
  handled: false,
  paid: null,
  voided: false,
  moves: [],
  repeat: [],
  press: null,
  ...changes,
});

export const emptyBox = (number: number): BoxView => box(number, { stake: null, chips: [], seats: [] });

/** Box 1 has 10 and 6 against a six; the dealer's second card lies face down. */
export function tableView(changes: Partial<TableView> = {}): TableView {
  return {
    seq: 7,
    at_utc_us: 1_700_000_000_000_000,
    mode: "live",
    shadow: false,
    table: "BJ 04",
    currency: "EUR",
    round: 1,
    felt: {
      rules: "spielbank",
      blackjack_pays: [3, 2],
      hits_soft_17: false,
      boxes: 7,
      decks: 6,
      back_bets: 2,
    },
    sound_percent: 40,
    chips: [
      { value: "5.00", face: "#c8553d", ink: "#ffffff" },
      { value: "25.00", face: "#3f9b6c", ink: "#ffffff" },
    ],
    boxes: [box(1, { hands: [hand([card(1, "10h"), card(3, "6s")])] }), ...[2, 3, 4, 5, 6, 7].map(emptyBox)],
    dealer: { cards: [card(2, "6c"), { hidden: true }], total: "6", outcome: null },
    aside: [],
    staked: "25.00",
    stage: "1.player.1.1",
    prompts: [prompt()],
    shoe_used: 0.1,
    cut_card: false,
    shoe: shoe(),
    slips: { fill: "", credit: "", drop: "" },
    dealing: "",
    devices: [],
    holds: [],
    holds_more: 0,
    alerts: [],
    alerts_more: 0,
    doubts: [],
    unconfirmed: [],
    unconfirmed_count: 0,
    waiting: 0,
    autoplay: null,
    speed: null,
    draw: null,
    faults: [],
    editing_by: null,
    notice: null,
    by_hand: pad(),
    ...changes,
  };
}

/** A shoe in use, with a key for the cut card. */
export const shoe = (changes: Partial<ShoeView> = {}): ShoeView => ({
  state: "in_use",
  decks: 6,
  burn_due: 0,
  burn_later: 0,
  shuffle_due: false,
  keys: [key("CUT_CARD", { acts: [{ do: "observe", obs: { obs: "cut_card" } }] })],
  rest: key("SHOE_REST", { acts: [] }),
  limits: { stake_min: "4.00", stake_max: "200.00", stake_step: "1.00" },
  ...changes,
});

export const hold = (code: string, changes: Partial<HoldRow> = {}): HoldRow => ({
  title: words(`fault_name.${code}`),
  text: words(`hold.${code}`),
  since_utc_us: 0,
  by: "system:table",
  code,
  release: "pit",
  ways: [],
  rule: null,
  rule_text: null,
  round: 1,
  card: 0,
  box: -1,
  seat: null,
  about: ["round", `card:${changes.card ?? 0}`, `box:${changes.box ?? -1}`],
  amends: "decision",
  two: changes.release === "two",
  read: null,
  readings: [],
  ...changes,
});

/** What a ruling would change: nothing, unless it says so. */
export const preview = (changes: Partial<Preview> = {}): Preview => ({
  seq: 7,
  problem: null,
  disputes: false,
  hands: [],
  stakes: [],
  money: [],
  untouched: null,
  house: [],
  house_change: { money: "0.00" },
  chips: { money: "0.00" },
  second: false,
  ...changes,
});

export interface Sent {
  path: string;
  body: unknown;
}

type Answer = (body: unknown) => Response | Promise<Response>;

/** Answers the page's requests by their path, and keeps what was sent; an unexpected path fails the test. */
export function serve(answers: Record<string, Answer>): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const answer = answers[path];
    if (!answer) throw new Error(`nothing is served at ${path}`);
    const body: unknown = JSON.parse(String(init.body));
    sent.push({ path, body });
    return answer(body);
  });
  return sent;
}
