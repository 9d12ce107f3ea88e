// Makes what the file comes to the expectation of its case: never without a reason.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Words } from "../view";
import { type Accepted, post } from "./bodies";

interface Props {
  number: number;
  /** The names of other rules that the case may be expected by. */
  otherRules: readonly string[];
}

/** The rules that count, the reason, a key, and what became of it. */
export function AcceptBaseline({ number, otherRules }: Props) {
  const i18n = useI18n();
  const [rules, setRules] = useState("");
  const [reason, setReason] = useState("");
  const [works, setWorks] = useState(false);
  const [said, setSaid] = useState<Words | null>(null);
  const accept = async (event: Event): Promise<void> => {
    event.preventDefault();
    setWorks(true);
    const { answer, refusal } = await post<Accepted>(`/${number}/accept`, { rules, reason });
    setSaid(answer ? { code: "studio.accepted", params: { ...answer } } : refusal);
    if (answer) setReason("");
    setWorks(false);
  };
  return (
    <section class="studio-otherwise">
      <h2>{i18n.text("studio.accept")}</h2>
      <form onSubmit={(event) => void accept(event)}>
        <select
          aria-label={i18n.text("studio.rule")}
          value={rules}
          onChange={(event) => setRules(event.currentTarget.value)}
        >
          <option value="">{i18n.text("studio.own_rules")}</option>
          {otherRules.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label>
          {i18n.text("studio.reason")}
          <input
            data-reason
            value={reason}
            maxLength={400}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="top-key" disabled={works}>
          {i18n.text("studio.accept")}
        </button>
      </form>
      <p role="status">{said && i18n.say(said)}</p>
    </section>
  );
}
