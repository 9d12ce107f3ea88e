// A pit user at this screen: for one act, after which the dealer goes on, or for longer.
import { useI18n } from "../i18n/context";
import { Dialog as DialogFrame } from "../shared/dialog";
import { SignInForm } from "../shared/sign-in-form";
import type { SignInAnswer } from "../view";

interface Props {
  /** The PIN of the demo's people, told to whoever tries the demo. */
  demoPin: string;
  onDone: (answer: SignInAnswer) => void;
  onCancel: () => void;
}

/** Asks for id and PIN. The dealer stays signed in; an answer with a grant is good for one act. */
export function SignIn({ demoPin, onDone, onCancel }: Props) {
  const i18n = useI18n();
  return (
    <DialogFrame title={i18n.text("ui.sign_in_pit")} size="small" onCancel={onCancel}>
      {demoPin !== "" && <p class="quiet">{i18n.text("ui.demo_people", { pin: demoPin })}</p>}
      <SignInForm
        actor={demoPin === "" ? "" : "demo-pit"}
        main={{ at: "act", text: i18n.text("ui.sign_in_act") }}
        other={{ at: "pit", text: i18n.text("ui.sign_in_stay") }}
        onDone={onDone}
      >
        <button type="button" class="plain" onClick={onCancel}>
          {i18n.text("ui.cancel")}
        </button>
      </SignInForm>
    </DialogFrame>
  );
}
