// Before each test: nothing left of the last one, and real timers.
import { cleanup } from "@testing-library/preact";
import { afterEach, vi } from "vitest";

// The emulated page lays nothing out and loads no font: texts keep the size that they ask for.
Object.defineProperty(document, "fonts", { value: { ready: Promise.resolve() } });

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  localStorage.clear();
});
