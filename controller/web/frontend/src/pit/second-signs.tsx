// The second person of an act: signs with id and PIN at the same screen, and nobody's session ends by it.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { SignInForm } from "../shared/sign-in-form";
import type { Commands } from "../shared/use-commands";
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

/** What the server refuses where another person has to sign: by the house's list, or by the stop itself. */
const SECOND_ASKED = ["refused.SECOND_FOR_ACT", "refused.SECOND_NEEDED"];

/** Who signs with the person of this dialog; a signature is good for one try. */
function useSecond({ refusal, setSecond }: Commands): SecondSignature {
  const [needed, setNeeded] = useState(false);
  const [person, setPerson] = useState<string | null>(null);
  useEffect(() => {
    if (SECOND_ASKED.includes(refusal?.code ?? "")) setNeeded(true);
    if (refusal) setPerson(null);
  }, [refusal]);
  const sign = ({ person: second, grant }: SignInAnswer): void => {
    setSecond(grant);
    setPerson(second.id);
  };
  return { needed, person, sign };
}

/** What is below has a second person of its own: a signature ends with its form. */
export function WithSecond({ commands, children }: { commands: Commands; children: ComponentChildren }) {
  return <SecondContext.Provider value={useSecond(commands)}>{children}</SecondContext.Provider>;
}

/** Asks the second person for id and PIN, or says who it is; it takes the focus only where the server has asked. */
export function SecondSigns() {
  const i18n = useI18n();
  const { needed, person, sign } = useContext(SecondContext);
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
      <SignInForm main={{ at: "second", text: i18n.text("ui.second_sign") }} last={!needed} onDone={sign} />
    </section>
  );
}
