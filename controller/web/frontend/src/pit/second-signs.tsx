// The second person of an act: signs with id and PIN at the same screen, and nobody's session ends by it.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { SignInForm } from "../shared/sign-in-form";
import type { SignInAnswer } from "../view";

/** Who signs with the person of a dialog, as far as that is known. */
export interface SecondSignature {
  /** The server wants another person for this act. */
  needed: boolean;
  /** The id of whoever has signed. */
  person: string | null;
  sign: (answer: SignInAnswer) => void;
}

/** Of the dialog that is open. */
export const SecondContext = createContext<SecondSignature>({
  needed: false,
  person: null,
  sign: () => undefined,
});

/** Asks the second person for id and PIN, or says who it is. */
export function SecondSigns() {
  const i18n = useI18n();
  const { person, sign } = useContext(SecondContext);
  if (person !== null) {
    return (
      <p class="second-signed" role="status">
        {i18n.text("ui.second_signs", { name: person })}
      </p>
    );
  }
  return (
    <section class="second-signs" aria-label={i18n.text("ui.second")}>
      <h3>{i18n.text("ui.second")}</h3>
      <SignInForm main={{ at: "second", text: i18n.text("ui.second_sign") }} onDone={sign} />
    </section>
  );
}
