// What reached the table at a step of a recording: the camera's picture, and over it the heat map where it is wanted.
import { fireEvent, screen } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { WhatWasSeen } from "../../src/studio/beside";
import type { SeenView } from "../../src/view";
import { show } from "../kit";

const SEEN: SeenView = {
  state: "ready",
  cameras: [
    {
      before_ms: 40,
      heat: "/heat/7/0",
      view: {
        camera: "above",
        picture: "/picture/7/0",
        width: 1920,
        height: 1080,
        cards: [],
        ranks: [],
        edge_px: 0,
        light: 200,
        burnt_percent: 0,
      },
    },
  ],
  received: [],
  hidden: false,
};

it("lays the heat map over the picture when it is asked for, and takes it away again", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(SEEN)));
  const { container } = show(<WhatWasSeen number={0} at={7} />);
  const key = await screen.findByRole("button", { name: "Heat map" });
  const pictures = (): (string | null)[] =>
    [...container.querySelectorAll("image")].map((one) => one.getAttribute("href"));
  expect(pictures()).toEqual(["/picture/7/0"]);
  fireEvent.click(key);
  expect(key.getAttribute("aria-pressed")).toBe("true");
  expect(pictures()).toEqual(["/picture/7/0", "/heat/7/0"]);
  fireEvent.click(key);
  expect(pictures()).toEqual(["/picture/7/0"]);
});
