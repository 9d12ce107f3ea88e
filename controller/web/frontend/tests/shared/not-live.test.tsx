// NOT LIVE: over everything, with nothing left to press.
import { act, screen } from "@testing-library/preact";
import { describe, expect, it, test, vi } from "vitest";
import { LANGUAGES } from "../../src/i18n/i18n";
import { NotLive } from "../../src/shared/instruction-bar";
import { i18nOf, show, tableView } from "../kit";

const dialog = (): HTMLDialogElement => screen.getByRole("alertdialog");

describe("a screen that does not hear the table", () => {
  it("is covered by a modal message that cannot be put away", () => {
    show(<NotLive view={tableView()} />);
    expect(dialog().open).toBe(true);
    expect(dialog().getAttribute("aria-modal")).toBe("true");
    expect(dialog().querySelectorAll("button, [tabindex='0']")).toHaveLength(0);
    const pressed = new Event("cancel", { cancelable: true });
    dialog().dispatchEvent(pressed);
    expect(pressed.defaultPrevented).toBe(true);
  });

  it("comes back where a browser has closed it all the same", () => {
    show(<NotLive view={tableView()} />);
    dialog().close();
    dialog().dispatchEvent(new Event("close"));
    expect(dialog().open).toBe(true);
  });

  it("says when it last did", () => {
    show(<NotLive view={tableView()} />);
    expect(dialog().textContent).toContain(i18nOf("en").clock(1_700_000_000_000_000));
  });

  it("is quiet before the first state, and stops only after a while", () => {
    vi.useFakeTimers();
    show(<NotLive view={null} />);
    expect([dialog().dataset.tone, dialog().textContent]).toEqual(["push", "connecting to the table…"]);
    void act(() => void vi.advanceTimersByTime(2600));
    expect(dialog().dataset.tone).toBe("stop");
    expect(dialog().textContent).toContain("NOT LIVE");
    vi.useRealTimers();
  });

  test.for(LANGUAGES)("says so in %s, as the name of the message", (language) => {
    show(<NotLive view={tableView()} />, language);
    expect(screen.getByRole("alertdialog", { name: i18nOf(language).text("line.NOT_LIVE") })).toBeTruthy();
  });
});
