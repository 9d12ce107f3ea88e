import { renderHook, waitFor } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Language, useLanguage } from "../../src/i18n/i18n";
import { CATALOGUES } from "../kit";

const languageOf = (path: string) => path.slice(-2) as Language;

describe("the language of a page", () => {
  beforeEach(() => localStorage.setItem("stand17.language", "en"));
  afterEach(() => {
    vi.unstubAllGlobals();
    localStorage.clear();
  });

  it("is the one that was chosen last, whichever catalogue comes last", async () => {
    const answers = new Map<string, () => void>();
    vi.stubGlobal("fetch", (path: string) => {
      return new Promise((resolve) =>
        answers.set(languageOf(path), () => resolve(Response.json(CATALOGUES[languageOf(path)]))),
      );
    });
    const { result } = renderHook(() => useLanguage());
    result.current.choose("nl");
    answers.get("nl")?.();
    await waitFor(() => expect(result.current.i18n?.language).toBe("nl"));
    answers.get("en")?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(result.current.i18n?.language).toBe("nl");
    expect(document.documentElement.lang).toBe("nl");
    expect(localStorage.getItem("stand17.language")).toBe("nl");
  });

  it("comes though the server did not answer the first time", async () => {
    let asked = 0;
    vi.stubGlobal("fetch", async (path: string) => {
      asked += 1;
      if (asked === 1) throw new TypeError("no network");
      return Response.json(CATALOGUES[languageOf(path)]);
    });
    const { result } = renderHook(() => useLanguage());
    await waitFor(() => expect(result.current.i18n?.language).toBe("en"), { timeout: 5000 });
    expect(asked).toBe(2);
  });

  it("fetches the texts of other pages when the dealer's page is sent one of them", async () => {
    const asked: string[] = [];
    const { "error.PORT_BUSY": other = "", ...atTheTable } = CATALOGUES.en;
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      return Response.json(path.endsWith("?at_the_table=true") ? atTheTable : CATALOGUES.en);
    });
    const { result } = renderHook(() => useLanguage(true));
    await waitFor(() => expect(result.current.i18n?.text("ui.dealer")).toBe(CATALOGUES.en["ui.dealer"]));
    expect(asked).toEqual(["/api/catalogue/en?at_the_table=true"]);
    expect(result.current.i18n?.text("error.PORT_BUSY")).toBe("…");
    expect(result.current.i18n?.text("error.PORT_BUSY")).toBe("…");
    await waitFor(() => expect(result.current.i18n?.text("error.PORT_BUSY")).toBe(other));
    expect(asked).toEqual(["/api/catalogue/en?at_the_table=true", "/api/catalogue/en"]);
  });
});
