// The five languages, one key each: in the top bar, and where nobody has signed in yet.
import { useI18n } from "../i18n/context";
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "../i18n/i18n";

/** The key of the language in use is pressed. */
export function LanguageKeys({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const i18n = useI18n();
  return (
    <fieldset class="languages flex" aria-label={i18n.text("ui.language")}>
      {LANGUAGES.map((language) => (
        <button
          key={language}
          type="button"
          class={language === i18n.language ? "top-key on" : "top-key"}
          data-language={language}
          aria-pressed={language === i18n.language}
          aria-label={`${language.toUpperCase()}, ${LANGUAGE_NAMES[language]}`}
          onClick={() => onLanguage(language)}
        >
          {language.toUpperCase()}
        </button>
      ))}
    </fieldset>
  );
}
