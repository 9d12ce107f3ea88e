// Commands to the table: one after the other, each based on what the last one led to.
import { describe, expect, it, vi } from "vitest";
import { type Act, CommandQueue, preview } from "../../src/server/http";
import type { CommandBody } from "../../src/view";
import { serve } from "../kit";

const DEALER = { actor: "D-17", role: "dealer", grant: null } as const;
const chip = (value: string): Act => ({ do: "chip", box: 1, seat: 0, chip: value, off: false });

describe("the queue of commands", () => {
  it("sends each act with an id of its own and the sequence that the last one led to", async () => {
    const sent = serve({
      "/api/commands": (body) => Response.json({ seq: (body as CommandBody).expected_seq + 1 }),
    });
    const answer = await new CommandQueue().send(DEALER, 7, [chip("5.00"), chip("25.00")]);
    expect(answer).toEqual({ seq: 9, refusal: null });
    const bodies = sent.map((one) => one.body as CommandBody);
    expect(bodies.map((body) => body.expected_seq)).toEqual([7, 8]);
    expect(bodies.map((body) => body.actor)).toEqual(["D-17", "D-17"]);
    expect(new Set(bodies.map((body) => body.command_id)).size).toBe(2);
  });

  it("waits for the answer to one press before it sends the next", async () => {
    const answers: (() => void)[] = [];
    const sent = serve({
      "/api/commands": () => new Promise((done) => answers.push(() => done(Response.json({ seq: 8 })))),
    });
    const queue = new CommandQueue();
    const both = Promise.all([queue.send(DEALER, 7, [chip("5.00")]), queue.send(DEALER, 7, [chip("25.00")])]);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    expect(sent).toHaveLength(1);
    answers[0]?.();
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    expect((await both).map((answer) => answer.refusal)).toEqual([null, null]);
  });

  it("stops at the first refusal and says why", async () => {
    const refusal = { code: "refused.STAKE_LIMIT", params: { least: 5 } };
    const sent = serve({ "/api/commands": () => Response.json(refusal, { status: 409 }) });
    const answer = await new CommandQueue().send(DEALER, 7, [chip("2.50"), chip("2.50")]);
    expect(answer).toEqual({ seq: null, refusal });
    expect(sent).toHaveLength(1);
  });

  it("says that no answer came, and what is said again then is the same command", async () => {
    let broken = true;
    const sent = serve({
      "/api/commands": () => {
        if (broken) throw new TypeError("network");
        return Response.json({ seq: 8 });
      },
    });
    const queue = new CommandQueue();
    expect((await queue.send(DEALER, 7, [chip("5.00")])).refusal?.code).toBe("ui.no_answer");
    broken = false;
    expect((await queue.send(DEALER, 7, [chip("5.00"), chip("5.00")])).refusal).toBeNull();
    const ids = sent.map((one) => (one.body as CommandBody).command_id);
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  });

  it("stops the table anew where no answer came: somebody may have lifted that stop", async () => {
    const sent = serve({
      "/api/commands": () => {
        throw new TypeError("network");
      },
    });
    const queue = new CommandQueue();
    const stops: Act[] = [
      { do: "freeze", note: "" },
      { do: "observe", obs: { obs: "freeze", by: "P-1", reason: "" } },
    ];
    for (const stop of stops) {
      await queue.send(DEALER, 7, [stop]);
      await queue.send(DEALER, 7, [stop]);
    }
    expect(new Set(sent.map((one) => (one.body as CommandBody).command_id)).size).toBe(4);
  });

  it("takes a server's error page for a refusal, and goes on with the next press", async () => {
    let broken = true;
    serve({
      "/api/commands": () =>
        broken ? new Response("Internal Server Error", { status: 500 }) : Response.json({ seq: 8 }),
    });
    const queue = new CommandQueue();
    const { refusal } = await queue.send(DEALER, 7, [chip("5.00")]);
    expect(refusal).toEqual({ code: "ui.other", params: { code: "HTTP 500" } });
    broken = false;
    expect((await queue.send(DEALER, 7, [chip("5.00")])).refusal).toBeNull();
  });
});

describe("a preview", () => {
  it("is none where the server does not give one", async () => {
    serve({ "/api/preview": () => new Response("", { status: 422 }) });
    expect(await preview({ obs: "strike", card: 1, by: "S-02", reason: "DOUBLE_READ" })).toBeNull();
  });
});
