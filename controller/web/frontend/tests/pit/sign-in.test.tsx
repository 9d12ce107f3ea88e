// Who sits down at the pit's side of the screen.
import { screen, waitFor } from "@testing-library/preact";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { SignIn } from "../../src/pit/sign-in";
import { serve, show } from "../kit";

describe("signing in", () => {
  it("is done by keyboard alone and gives name and session on", async () => {
    const sent = serve({ "/api/session": () => Response.json({ session: "s-1" }) });
    const done = vi.fn();
    show(<SignIn onDone={done} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Name or number"), " S-02 ");
    await user.type(screen.getByLabelText("PIN"), "123456{Enter}");
    await waitFor(() => expect(done).toHaveBeenCalledWith("S-02", "s-1"));
    expect(sent[0]?.body).toEqual({ actor: "S-02", pin: "123456" });
  });

  it("says why it was refused, and leaves what was typed", async () => {
    serve({
      "/api/session": () =>
        Response.json({ code: "refused.PIN_WRONG", params: { left: 4 } }, { status: 403 }),
    });
    const done = vi.fn();
    show(<SignIn onDone={done} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Name or number"), "S-02");
    await user.type(screen.getByLabelText("PIN"), "1{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("Name or PIN is wrong; 4 tries left.");
    expect(screen.getByLabelText<HTMLInputElement>("Name or number").value).toBe("S-02");
    expect(done).not.toHaveBeenCalled();
  });
});
