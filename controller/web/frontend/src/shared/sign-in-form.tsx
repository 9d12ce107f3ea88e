// Signing in by number and PIN, or by a card that a reader types.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { type At, signIn } from "../server/http";
import type { SignInAnswer, Words } from "../view";
import { PlainKey } from "./keys";

/** A reader types a number in a tenth of a second; a hand that pauses longer than this types for itself. */
const GAP_MS = 400;
const NUMBER_MAX = 64;

/**
 * Calls `onCard` with each number that a reader types. Its keys reach nothing else on the page: a digit of a card must
 * not bet on a box. Without a prefix nothing is taken for a card.
 */
export function useCardReader(prefix: string, onCard: (number: string) => void): void {
  const latest = useRef(onCard);
  latest.current = onCard;
  useEffect(() => {
    if (prefix === "") return undefined;
    let typed: string | null = null;
    let lastMs = 0;
    const listen = (event: KeyboardEvent): void => {
      const nowMs = performance.now();
      if (typed !== null && nowMs - lastMs > GAP_MS) typed = null;
      lastMs = nowMs;
      if (typed === null && event.key !== prefix) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === "Enter") {
        const number = typed ?? "";
        typed = null;
        if (number !== "") latest.current(number);
      } else if (typed === null) typed = "";
      else if (event.key.length === 1 && typed.length < NUMBER_MAX) typed += event.key;
    };
    addEventListener("keydown", listen, { capture: true });
    return () => removeEventListener("keydown", listen, { capture: true });
  }, [prefix]);
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"] as const;

/** What a form signs somebody in for, and what its key says. */
interface SignInKey {
  at: At;
  text: string;
}

interface SignInFormProps {
  /** The key of Enter. */
  main: SignInKey;
  /** Another key beside it. */
  other?: SignInKey;
  /** The id that is typed beforehand. */
  actor?: string;
  /** It stands below fields that are filled in before it: it does not take the focus when it comes. */
  last?: boolean | undefined;
  /** A refusal from elsewhere, such as of a staff card. */
  refused?: Words | null;
  onDone: (answer: SignInAnswer, at: At) => void;
  /** What stands left of the keys. */
  children?: ComponentChildren;
}

/** Asks for id and PIN; a refusal stays to be read until the next try, and the PIN is typed anew. */
export function SignInForm({
  main,
  other,
  actor: known = "",
  last = false,
  refused = null,
  onDone,
  children,
}: SignInFormProps) {
  const i18n = useI18n();
  const [actor, setActor] = useState(known);
  const [pin, setPin] = useState("");
  const [refusal, setRefusal] = useState<Words | null>(null);
  const [old, setOld] = useState<{ answer: SignInAnswer; at: At } | null>(null);
  const actorField = useRef<HTMLInputElement>(null);
  const pinField = useRef<HTMLInputElement>(null);
  // Browsers heed `autofocus` once for a page; this form comes and goes.
  useEffect(() => {
    if (!last) (known === "" ? actorField : pinField).current?.focus();
  }, [known, last]);
  const [inPin, setInPin] = useState(known !== "");
  const submit = async (at: At): Promise<void> => {
    const { answer, refusal: why } = await signIn(at, { actor: actor.trim(), pin });
    setRefusal(why);
    setPin("");
    if (answer?.pin_old) setOld({ answer, at });
    else if (answer) onDone(answer, at);
    else pinField.current?.focus();
  };
  const press = (digit: string | null): void => {
    const [text, set] = inPin ? [pin, setPin] : [actor, setActor];
    set(digit === null ? text.slice(0, -1) : text + digit);
  };
  if (old) return <OldPin onRead={() => onDone(old.answer, old.at)} />;
  const problem = refusal ?? refused;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(main.at);
      }}
    >
      <Fields
        actor={actor}
        pin={pin}
        actorField={actorField}
        pinField={pinField}
        setActor={setActor}
        setPin={setPin}
        onField={(field) => setInPin(field === "pin")}
      />
      <div class="pin-pad grid gap-8">
        {DIGITS.map((digit) => (
          <button key={digit} type="button" data-pin={digit} onClick={() => press(digit)}>
            {digit}
          </button>
        ))}
        <button
          type="button"
          data-pin="back"
          aria-label={i18n.text("ui.backspace")}
          onClick={() => press(null)}
        >
          ⌫
        </button>
      </div>
      {problem && (
        <p class="problem" role="alert">
          {i18n.say(problem)}
        </p>
      )}
      <div class="dialog-keys">
        {children}
        {other && (
          <PlainKey data-key={`SIGN_IN_${other.at}`} onClick={() => void submit(other.at)}>
            {other.text}
          </PlainKey>
        )}
        <button type="submit" class="plain main">
          {main.text}
        </button>
      </div>
    </form>
  );
}

/** Asked once at each sign-in with a PIN of more than a quarter: whoever has read it goes on. */
function OldPin({ onRead }: { onRead: () => void }) {
  const i18n = useI18n();
  const key = useRef<HTMLButtonElement>(null);
  useEffect(() => key.current?.focus(), []);
  return (
    <>
      <p class="problem" role="alert">
        {i18n.text("ui.pin_old")}
      </p>
      <div class="dialog-keys">
        <button ref={key} type="button" class="plain main" data-key="PIN_OLD" onClick={onRead}>
          {i18n.text("ui.go_on")}
        </button>
      </div>
    </>
  );
}

interface FieldsProps {
  actor: string;
  pin: string;
  actorField: RefObject<HTMLInputElement | null>;
  pinField: RefObject<HTMLInputElement | null>;
  setActor: (text: string) => void;
  setPin: (text: string) => void;
  onField: (field: "actor" | "pin") => void;
}

/** The two fields; the digits below go into the one that was touched last. */
function Fields({ actor, pin, actorField, pinField, setActor, setPin, onField }: FieldsProps) {
  const i18n = useI18n();
  return (
    <div class="sign-in-fields grid gap-12">
      <label>
        {i18n.text("ui.name")}
        <input
          ref={actorField}
          name="actor"
          required
          maxLength={40}
          autocomplete="off"
          value={actor}
          onInput={(event) => setActor(event.currentTarget.value)}
          onFocus={() => onField("actor")}
          autofocus={actor === ""}
        />
      </label>
      <label>
        {i18n.text("ui.pin")}
        <input
          ref={pinField}
          name="pin"
          type="password"
          inputMode="numeric"
          maxLength={12}
          autocomplete="off"
          value={pin}
          onInput={(event) => setPin(event.currentTarget.value)}
          onFocus={() => onField("pin")}
        />
      </label>
    </div>
  );
}
