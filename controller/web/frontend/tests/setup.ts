// Before each test: nothing left of the last one, and real timers.
import { cleanup, configure } from "@testing-library/preact";
import { afterEach, vi } from "vitest";

// The emulated page lays nothing out and loads no font: texts keep the size that they ask for.
Object.defineProperty(document, "fonts", { configurable: true, value: { ready: Promise.resolve() } });

// No test depends on being quick: on a busy machine a page needs more than the second that it is given otherwise.
configure({ asyncUtilTimeout: 20_000 });

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  localStorage.clear();
});
