// Who is signed in at this screen, as the server says.
import { act, renderHook } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { homeOf, mayAct, signIn } from "../../src/server/http";
import { useSession } from "../../src/server/live";
import type { PersonView, SessionView } from "../../src/view";
import { serve, sessionView } from "../kit";

const person = (id: string, role: PersonView["role"]): PersonView => ({ id, name: id, role });
const home = (changes: Partial<SessionView>) => homeOf(sessionView(changes));

describe("signing in", () => {
  it("says for what, and gives who it is", async () => {
    const answer = { person: person("S-02", "supervisor"), grant: "g-1" };
    const sent = serve({ "/api/session": () => Response.json(answer) });
    expect(await signIn("act", { actor: "S-02", pin: "270227" })).toEqual({ answer, refusal: null });
    expect(sent[0]?.body).toEqual({ at: "act", actor: "S-02", pin: "270227" });
  });

  it("says why not", async () => {
    serve({
      "/api/session": () => Response.json({ code: "refused.PIN_WRONG", params: {} }, { status: 409 }),
    });
    expect((await signIn("screen", { card: "0815" })).refusal?.code).toBe("refused.PIN_WRONG");
  });
});

describe("the person of the screen", () => {
  it("is whoever signed in, the demo's dealer where nobody did, and nobody else", () => {
    const guest = person("demo-dealer", "dealer");
    expect(home({ screen: person("D-17", "dealer"), guest })?.actor).toBe("D-17");
    expect(home({ screen: person("P-7", "pit_manager"), guest })?.role).toBe("pit");
    expect(home({ screen: null, guest })?.actor).toBe("demo-dealer");
    expect(home({ screen: null, guest: null })).toBeNull();
  });

  it("looks on where it is of surveillance", () => {
    expect(mayAct(person("D-17", "dealer"))).toBe(true);
    expect(mayAct(person("E-01", "surveillance"))).toBe(false);
    expect(home({ screen: person("A-01", "administrator") })?.role).toBe("pit");
  });
});

describe("who is signed in", () => {
  it("is asked once a second while the server is away, however often it was asked for", async () => {
    vi.useFakeTimers();
    try {
      const asked = vi.fn(async () => new Response(null, { status: 503 }));
      vi.stubGlobal("fetch", asked);
      const { result } = renderHook(() => useSession());
      for (let closed = 0; closed < 20; closed++) result.current.ask();
      await act(async () => void (await vi.advanceTimersByTimeAsync(500)));
      asked.mockClear();
      await act(async () => void (await vi.advanceTimersByTimeAsync(10_000)));
      const times = asked.mock.calls.length;
      expect([times >= 9, times <= 10], `${times} times in ten seconds`).toEqual([true, true]);
    } finally {
      vi.useRealTimers();
    }
  });
});
