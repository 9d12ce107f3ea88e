// A moment is shown and typed as the reader's language writes it.
import { fireEvent, screen } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { MomentField } from "../../src/floor/list";
import { show } from "../kit";

const field = (): HTMLInputElement => screen.getByRole("textbox");

/** What the page is told of when this is typed instead of 24 November 2026, 22:38. */
function typed(text: string, language: "nl" | "de" | "it" = "nl"): string[] {
  const told = vi.fn();
  const { unmount } = show(
    <MomentField name="since" label="From" value="2026-11-24T22:38" onValue={told} />,
    language,
  );
  fireEvent.change(field(), { target: { value: text } });
  const shown = field().value;
  unmount();
  return told.mock.calls.length > 0 ? told.mock.calls.map(([value]) => String(value)) : [shown];
}

it("shows a moment in the form of the language", () => {
  for (const [language, form] of [
    ["nl", "24-11-(20)?26"],
    ["de", "24.11.(20)?26"],
    ["it", "24/11/(20)?26"],
  ] as const) {
    expect(typed("no moment", language)[0]).toMatch(new RegExp(`^${form.replaceAll(".", "\\.")},? 22:38$`));
  }
});

it("reads what is typed, an hour alone as one of today, and nothing as none", () => {
  expect(typed("1-12-26 9:05")).toEqual(["2026-12-01T09:05"]);
  expect(typed("01.12.2026, 09:05", "de")).toEqual(["2026-12-01T09:05"]);
  expect(typed("7:30")[0]?.slice(10)).toBe("T07:30");
  expect(typed("")).toEqual([""]);
});

it("goes back to the last moment where there is no such one", () => {
  for (const text of ["31-13-2026 22:38", "24-11 22:38", "x"]) expect(typed(text)[0]).toContain("22:38");
});
