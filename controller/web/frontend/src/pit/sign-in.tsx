// Who sits down at the pit's side of this screen.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { signIn } from "../server/commands";
import { Dialog } from "../shared/dialog";
import type { Words } from "../view";

interface Props {
  onDone: (actor: string, session: string) => void;
  onCancel: () => void;
}

/** Asks for name and PIN; a refusal stays to be read until the next try. */
export function SignIn({ onDone, onCancel }: Props) {
  const i18n = useI18n();
  const [actor, setActor] = useState("");
  const [pin, setPin] = useState("");
  const [refusal, setRefusal] = useState<Words | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const answer = await signIn(actor.trim(), pin);
    setRefusal(answer.refusal);
    if (answer.session) onDone(actor.trim(), answer.session);
  };
  return (
    <Dialog title={i18n.text("ui.sign_in_title")} size="small" onCancel={onCancel}>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          {i18n.text("ui.name")}
          <input
            name="actor"
            required
            maxLength={40}
            autocomplete="username"
            value={actor}
            onInput={(event) => setActor(event.currentTarget.value)}
            autofocus
          />
        </label>
        <label>
          {i18n.text("ui.pin")}
          <input
            name="pin"
            type="password"
            inputMode="numeric"
            maxLength={12}
            autocomplete="current-password"
            value={pin}
            onInput={(event) => setPin(event.currentTarget.value)}
          />
        </label>
        {refusal && (
          <p class="problem" role="alert">
            {i18n.say(refusal)}
          </p>
        )}
        <div class="dialog-keys">
          <button type="button" class="plain" onClick={onCancel}>
            {i18n.text("ui.cancel")}
          </button>
          <button type="submit" class="plain main">
            {i18n.text("ui.sign_in")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
