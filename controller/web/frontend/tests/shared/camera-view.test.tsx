// What stands below a camera's picture: at each box how high a rank is, and what share of such cards is read.
import { screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { Sight } from "../../src/shared/camera-view";
import { show } from "../kit";

it("tells the height of a rank and the share that is read, box by box", () => {
  const ranks = [
    { box: 0, px: 9.2, read_percent: 84 },
    { box: 3, px: 17.6, read_percent: 97 },
  ];
  const camera = {
    camera: "above",
    picture: "/picture/7/0",
    width: 1920,
    height: 1080,
    cards: [],
    ranks,
    edge_px: 0,
    light: 200,
    burnt_percent: 0,
  };
  show(<Sight camera={camera} />);
  expect(screen.getByText(/Rank height in px/).textContent).toContain("Dealer: 9 (84 %), 3: 18 (97 %)");
});
