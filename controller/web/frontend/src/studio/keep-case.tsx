// Keeps the round that is shown as a case: the smallest feed that shows it, with its expectation.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { KeptView, Words } from "../view";
import { post } from "./bodies";

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
