// What stands on a screen where nobody is signed in: the table is not shown before it is known who looks.
import { useState } from "preact/hooks";
import { type Language, useI18n } from "./i18n/i18n";
import { signIn } from "./server/http";
import { LanguageKeys } from "./shared/keys";
import { SignInForm, useCardReader } from "./shared/sign-in-form";
import type { SessionView, Words } from "./view";

interface Props {
  session: SessionView;
  onDone: () => void;
  onLanguage: (language: Language) => void;
}

/** A dealer signs in by one gesture, a card or id and four digits; everybody else by id and PIN. */
export function SignInScreen({ session, onDone, onLanguage }: Props) {
  const i18n = useI18n();
  const [refused, setRefused] = useState<Words | null>(null);
  const [actor, setActor] = useState("");
  const byCard = async (card: string): Promise<void> => {
    const { answer, refusal } = await signIn("screen", { card });
    setRefused(refusal);
    if (refusal?.code === "refused.PIN_NEEDED") setActor(String(refusal.params.id ?? ""));
    if (answer) onDone();
  };
  useCardReader(session.card_prefix, (card) => void byCard(card));
  return (
    <main class="sign-in row whole-height scroll">
      <section class="sign-in-box">
        <h1 class="weight-750">{i18n.text("ui.sign_in_title")}</h1>
        <p class="quiet" data-sign-in-at>
          <b>{session.table}</b> · {session.house}
        </p>
        {session.demo_pin !== "" && (
          <p class="quiet" data-demo-people>
            {i18n.text("ui.demo_people", { pin: session.demo_pin })}
          </p>
        )}
        {session.card_prefix !== "" && <p class="quiet">{i18n.text("ui.sign_in_card")}</p>}
        <SignInForm
          key={actor}
          actor={actor}
          main={{ at: "screen", text: i18n.text("ui.sign_in") }}
          refused={refused}
          onDone={onDone}
        />
      </section>
      <LanguageKeys onLanguage={onLanguage} />
    </main>
  );
}
