// Who sits down at the pit's side of the screen: for one act, or for longer.
import { screen, waitFor } from "@testing-library/preact";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { SignIn } from "../../src/pit/dialogs";
import { serve, show } from "../kit";

const ANSWER = {
  person: { id: "S-02", name: "S", role: "supervisor" },
  grant: "g-1",
  pin_old: false,
} as const;

describe("signing in as the pit", () => {
  it("is done by keyboard alone, for one act", async () => {
    const sent = serve({ "/api/session": () => Response.json(ANSWER) });
    const done = vi.fn();
    show(<SignIn demoPin="" onDone={done} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Name or number"), " S-02 ");
    await user.type(screen.getByLabelText("PIN"), "270227{Enter}");
    await waitFor(() => expect(done).toHaveBeenCalledWith(ANSWER, "act"));
    expect(sent[0]?.body).toEqual({ at: "act", actor: "S-02", pin: "270227" });
  });

  it("is done by big digits, for longer", async () => {
    const sent = serve({ "/api/session": () => Response.json(ANSWER) });
    show(<SignIn demoPin="" onDone={vi.fn()} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.click(screen.getByLabelText("Name or number"));
    for (const digit of "1042") await user.click(screen.getByRole("button", { name: digit }));
    await user.click(screen.getByLabelText("PIN"));
    for (const digit of "270228") await user.click(screen.getByRole("button", { name: digit }));
    await user.click(screen.getByRole("button", { name: "Delete" }));
    await user.click(screen.getByRole("button", { name: "Stay signed in" }));
    await waitFor(() => expect(sent[0]?.body).toEqual({ at: "pit", actor: "1042", pin: "27022" }));
  });

  it("asks whoever has an old PIN for a new one before he goes on", async () => {
    const old = { ...ANSWER, pin_old: true };
    serve({ "/api/session": () => Response.json(old) });
    const done = vi.fn();
    show(<SignIn demoPin="" onDone={done} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Name or number"), "S-02");
    await user.type(screen.getByLabelText("PIN"), "270227{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("three months old");
    expect(done).not.toHaveBeenCalled();
    const goOn = screen.getByRole("button", { name: "Go on" });
    await waitFor(() => expect(document.activeElement).toBe(goOn));
    await user.keyboard("{Enter}");
    expect(done).toHaveBeenCalledWith(old, "act");
  });

  it("says why it was refused, keeps the id and forgets the PIN", async () => {
    serve({
      "/api/session": () =>
        Response.json({ code: "refused.PIN_WRONG", params: { left: 4 } }, { status: 409 }),
    });
    const done = vi.fn();
    show(<SignIn demoPin="" onDone={done} onCancel={vi.fn()} />);
    const user = userEvent.setup();
    await user.type(screen.getByLabelText("Name or number"), "S-02");
    await user.type(screen.getByLabelText("PIN"), "1{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("Name or PIN is wrong; 4 tries left.");
    expect(screen.getByLabelText<HTMLInputElement>("Name or number").value).toBe("S-02");
    expect(screen.getByLabelText<HTMLInputElement>("PIN").value).toBe("");
    expect(done).not.toHaveBeenCalled();
  });
});
