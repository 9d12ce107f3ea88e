// Texts, amounts and times in the reader's language.
import { describe, expect, it, test, vi } from "vitest";
import { keptLanguage, LANGUAGES, loadI18n } from "../../src/i18n/i18n";
import { CATALOGUES, i18nOf, words } from "../kit";

describe("money", () => {
  it("has the decimals of its currency", () => {
    const { money, chips } = i18nOf("de");
    expect([money("4000"), money("+4.000"), chips("4.500"), chips("4000")]).toEqual([
      "4.000",
      "+4,000",
      "4,500",
      "4.000",
    ]);
  });

  test.for([
    ["en", "22.50", "22.50"],
    ["de", "22.50", "22,50"],
    ["nl", "22.50", "22,50"],
    ["fr", "1250.50", "1 250,50"],
    ["it", "12500.50", "12.500,50"],
  ] as const)("%s writes %s as %s", ([language, amount, written]) => {
    expect(i18nOf(language).money(amount).replace(/\s/g, " ")).toBe(written);
  });

  it("always has two decimals, and its sign where it moves; chips are as short as they can be", () => {
    const { money, chips } = i18nOf("en");
    expect([money("100.00"), money("+5.00"), money("-2.50")]).toEqual(["100.00", "+5.00", "−2.50"]);
    expect([chips("100.00"), chips("2.50")]).toEqual(["100", "2.50"]);
  });

  it("keeps every digit of an amount that a float would round", () => {
    expect(i18nOf("en").money("90071992547409930.25")).toBe("90,071,992,547,409,930.25");
  });
});

describe("texts", () => {
  test.for(LANGUAGES)("fill their holes, amounts in the way of %s", (language) => {
    const i18n = i18nOf(language);
    const line = i18n.say(words("line.PAY", { box: 3, amount: { money: "22.50" } }));
    expect(line).toContain("3");
    expect(line).toContain(i18n.money("22.50"));
  });

  test.for(LANGUAGES)("fill a word in %s", (language) => {
    const i18n = i18nOf(language);
    expect(i18n.say(words("alert.LATE_BET", { stage: { word: "stage.deal", params: {} } }))).toContain(
      i18n.text("stage.deal"),
    );
  });

  it("show the key where a catalogue lacks it, so that nothing is hidden", () => {
    expect(i18nOf("en").text("alert.NOT_YET_WRITTEN")).toBe("alert.NOT_YET_WRITTEN");
  });
});

describe("the language", () => {
  it("is fetched, kept for the next start, and told to the browser", async () => {
    vi.stubGlobal("fetch", async (path: string) => {
      expect(path).toBe("/api/catalogue/it");
      return Response.json(CATALOGUES.it);
    });
    const i18n = await loadI18n("it");
    expect(i18n?.text("ui.dealer")).toBe(CATALOGUES.it["ui.dealer"]);
    expect(keptLanguage()).toBe("it");
    expect(document.documentElement.lang).toBe("it");
  });

  it("is English where the tablet's own is none of the five", () => {
    vi.stubGlobal("navigator", { language: "pl-PL" });
    expect(keptLanguage()).toBe("en");
  });
});
