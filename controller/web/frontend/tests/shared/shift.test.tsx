// What the pit's page asks for: the figures of the page that is looked at, and of no other one.
import { expect, it, vi } from "vitest";
import { placeOf, useNewShift } from "../../src/floor/place";
import { show } from "../kit";

const SHOWN = ["ledger", "figures", "trail"] as const;

function Asks({ at }: { at: string }) {
  const [path = "", search = ""] = at.split("?");
  const shift = useNewShift(7, placeOf(`/pit${path}`, search));
  return <p>{["known", ...SHOWN.filter((name) => shift[name] !== null)].join()}</p>;
}

it("asks for the ledger, the figures and the record only where they are drawn", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(Response.json({ tiles: [], order: [], places: [], rows: [] }));
  });
  const shown = show(<Asks at="/figures" />);
  await shown.findByText("known,figures");
  expect(asked.filter((path) => !path.includes("/tables/news"))).toEqual(["/api/figures"]);
  shown.again(<Asks at="" />);
  await shown.findByText("known,ledger,figures,trail");
  // What was known stays for the way back.
  shown.again(<Asks at="/record" />);
  await shown.findByText("known,ledger,figures,trail");
  expect(asked.filter((path) => !path.includes("/tables/news"))).toHaveLength(3);
});

it("asks for the rounds as soon as somebody is signed in, by what the address looks for", () => {
  const asked = vi.fn(() => new Promise<Response>(() => {}));
  vi.stubGlobal("fetch", asked);
  show(<Asks at="/rounds?find=box+2&page=3" />);
  const [path] = asked.mock.calls
    .map(([one]: unknown[]) => String(one))
    .filter((one) => one.includes("/rounds"));
  expect(path).toMatch(/^\/api\/rounds\?find=box\+2&page=3&minutes=-?\d+$/);
});
