// A case of the tester: kept as a test, its baseline accepted anew.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { Choice } from "../shared/keys";
import type { AcceptedView, BaselineView, KeptView, Words } from "../view";
import { pathName, post } from "./steps";

/** A name, a key, and what became of it. */
export function KeepCase({ number, round }: { number: number; round: number }) {
  const i18n = useI18n();
  const [name, setName] = useState("");
  const [works, setWorks] = useState(false);
  const [said, setSaid] = useState<Words | null>(null);
  const keep = async (event: Event): Promise<void> => {
    event.preventDefault();
    setWorks(true);
    const { answer, refusal } = await post<KeptView>(`/${number}/keep`, { round, name });
    setSaid(answer ? { code: "studio.kept", params: { ...answer } } : refusal);
    setWorks(false);
  };
  return (
    <details class="studio-case still scroll-y" name="case" data-case="keep">
      <summary>{i18n.text("studio.keep")}</summary>
      <form class="flex wrap gap-8" onSubmit={(event) => void keep(event)}>
        <label class="grid slim">
          {i18n.text("studio.case_name")}
          <input
            value={name}
            placeholder="late_card_to_box_3"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="top-key" disabled={works}>
          {i18n.text("studio.keep")}
        </button>
      </form>
      <p role="status">{said && i18n.say(said)}</p>
    </details>
  );
}

interface AcceptBaselineProps {
  number: number;
  /** The names of other rules that the case may be expected by. */
  otherRules: readonly string[];
}

/** So many changes are listed; the count says how many there are. */
const LISTED = 200;

/** The rules that count, the reason, a key, and what became of it. */
export function AcceptBaseline({ number, otherRules }: AcceptBaselineProps) {
  const i18n = useI18n();
  const [rules, setRules] = useState("");
  const [reason, setReason] = useState("");
  const [works, setWorks] = useState(false);
  const [said, setSaid] = useState<Words | null>(null);
  const [baseline, setBaseline] = useState<BaselineView | null>(null);
  /** What would change under these rules; asked as soon as the form is open. */
  const look = async (name: string): Promise<void> => {
    setRules(name);
    setWorks(true);
    const { answer, refusal } = await post<BaselineView>(`/${number}/baseline`, { rules: name });
    setBaseline(answer);
    setSaid(answer ? { code: "studio.would_change", params: { count: answer.changes.length } } : refusal);
    setWorks(false);
  };
  const accept = async (event: Event): Promise<void> => {
    event.preventDefault();
    setWorks(true);
    const { answer, refusal } = await post<AcceptedView>(`/${number}/accept`, { rules, reason });
    setSaid(answer ? { code: "studio.accepted", params: { ...answer } } : refusal);
    if (answer) {
      setReason("");
      setBaseline(null);
    }
    setWorks(false);
  };
  return (
    <details
      class="studio-case still scroll-y"
      name="case"
      data-case="accept"
      onToggle={(event) => event.currentTarget.open && void look(rules)}
    >
      <summary>{i18n.text("studio.accept")}</summary>
      <Choice
        name="studio.rule"
        own={i18n.text("studio.own_rules")}
        names={otherRules}
        value={rules}
        onValue={(name) => void look(name)}
      />
      <p role="status">{said && i18n.say(said)}</p>
      {baseline && baseline.changes.length > 0 && (
        <div data-baseline>
          <table class="whole-width">
            <thead>
              <tr>
                <th scope="col" />
                <th scope="col">{i18n.text("studio.was")}</th>
                <th scope="col">{i18n.text("studio.would")}</th>
              </tr>
            </thead>
            <tbody>
              {baseline.changes.slice(0, LISTED).map(({ round, key, was, would }) => (
                <tr key={`${round} ${key}`}>
                  <th scope="row">
                    {i18n.text("studio.round", { round })} {pathName(key, i18n)}
                  </th>
                  <td>{i18n.value(was)}</td>
                  <td>{i18n.value(would)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <form class="flex wrap gap-8" onSubmit={(event) => void accept(event)}>
        <label class="grid slim">
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
    </details>
  );
}
