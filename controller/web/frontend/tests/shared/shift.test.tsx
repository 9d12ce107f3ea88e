// What the pit's page asks for: the figures of the page that is looked at, and of no other one.
import { expect, it, vi } from "vitest";
import type { PageName } from "../../src/floor/place";
import { useNewShift } from "../../src/floor/shift";
import { show } from "../kit";

const SHOWN = ["ledger", "figures", "trail"] as const;

function Asks({ page }: { page: PageName }) {
  const shift = useNewShift(7, page);
  return <p>{["known", ...SHOWN.filter((name) => shift[name] !== null)].join()}</p>;
}

it("asks for the ledger, the figures and the record only where they are drawn", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(Response.json({ tiles: [], order: [], places: [], rows: [] }));
  });
  const shown = show(<Asks page="figures" />);
  await shown.findByText("known,figures");
  expect(asked.filter((path) => !path.includes("/tables/news"))).toEqual(["/api/figures"]);
  shown.again(<Asks page="tables" />);
  await shown.findByText("known,ledger,figures,trail");
  // What was known stays for the way back.
  shown.again(<Asks page="rounds" />);
  await shown.findByText("known,ledger,figures,trail");
  expect(asked.filter((path) => !path.includes("/tables/news"))).toHaveLength(3);
});
