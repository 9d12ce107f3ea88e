// What if, and expected against actual: a line, a rule or the house is otherwise, and the money that moves shows.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { DifferenceView, StepMark, StudioFileView, WhatIfView, Words } from "../view";
import { post } from "./bodies";
import { Compare } from "./compare";
import { fieldName } from "./field-name";
import { asSent, type Field, FieldValue, LINE_FIELDS } from "./house-field";
import { differingSteps } from "./stepping";
import { WasWould } from "./was-would";

/** Where the fields stand that a tester may change, and under which text. */
const GROUPS = { line: "studio.entry", rules: "studio.house_rules", options: "studio.options" } as const;

/** What differs is listed up to here; the first ones lead to the others. */
const LISTED = 200;

interface Props {
  number: number;
  file: StudioFileView;
  mark: StepMark;
  at: number;
  onStep: (at: number) => void;
  /** Hears at which steps the last answer differs. */
  onDiffering: (steps: readonly number[]) => void;
}

/** What came of a form; about one round, or about the whole file where there is none. */
interface Answer {
  round: number | undefined;
  answer: WhatIfView;
}

/** The two forms and what came of the one that was sent last. */
export function Otherwise({ number, file, mark, at, onStep, onDiffering }: Props) {
  const i18n = useI18n();
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  const choose = (name: string): void => {
    setField(name);
    setValue("");
  };
  const [found, setFound] = useState<Answer | null>(null);
  const [refused, setRefused] = useState<Words | null>(null);
  const send = async (path: string, body: object, round?: number): Promise<WhatIfView | null> => {
    const { answer, refusal } = await post<WhatIfView>(`/${number}${path}`, body);
    setFound(answer && { round, answer });
    setRefused(refusal);
    onDiffering(answer ? differingSteps(answer) : []);
    return answer;
  };
  const groups = { line: LINE_FIELDS, rules: file.fields, options: file.options };
  const [kind, name] = field.split(" ") as [keyof typeof GROUPS | "", string?];
  const chosen = kind ? groups[kind].find((one) => one.name === name) : undefined;
  const change = (event: Event): void => {
    event.preventDefault();
    if (!kind || !chosen || !value) return;
    const fields = { [chosen.name]: asSent(chosen, value) };
    const round = mark.round;
    const otherwise = kind === "line" ? { lines: [{ line: mark.line, fields }] } : { [kind]: fields };
    void send("/what-if", { round, ...otherwise }, round);
  };
  const compare = async (body: object): Promise<void> => {
    const answer = await send("/compare", body);
    const first = answer?.differences.find((one) => one.step !== null);
    if (first?.step != null) onStep(first.step);
  };
  return (
    <section class="studio-otherwise">
      <h2>{i18n.text("studio.change")}</h2>
      <form onSubmit={change}>
        <label>
          {i18n.text("studio.field")}
          <select value={field} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="" />
            {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => (
              <optgroup
                key={group}
                label={i18n.text(GROUPS[group]) + (group === "line" ? ` ${mark.line}` : "")}
              >
                {groups[group].map((one) => (
                  <option key={one.name} value={`${group} ${one.name}`}>
                    {named(one, i18n)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <FieldValue label={i18n.text("studio.value")} field={chosen} value={value} onValue={setValue} />
        <button type="submit" class="top-key">
          {i18n.text("studio.see")}
        </button>
      </form>
      <Compare file={file} onCompare={(body) => void compare(body)} />
      {refused && <p role="alert">{i18n.say(refused)}</p>}
      {found && (found.round ?? mark.round) === mark.round && (
        <Found found={found.answer} i18n={i18n} at={at} onStep={onStep} />
      )}
    </section>
  );
}

interface FoundProps {
  found: WhatIfView;
  i18n: I18n;
  at: number;
  onStep: (at: number) => void;
}

function Found({ found, i18n, at, onStep }: FoundProps) {
  return (
    <div role="status" data-found>
      {found.money.length > 0 && (
        <WasWould>
          {found.money.map((one) => (
            <tr key={`${one.box} ${one.seat}`} data-moved={one.returned !== one.returned_if || undefined}>
              <th scope="row">{place(i18n, { ...one, hand: 0 })}</th>
              <td>
                {i18n.money(one.staked)} → {i18n.money(one.returned)}
              </td>
              <td>
                {i18n.money(one.staked_if)} → {i18n.money(one.returned_if)}
              </td>
            </tr>
          ))}
        </WasWould>
      )}
      {found.left_out > 0 && <p>{i18n.text("studio.secret", { count: found.left_out })}</p>}
      {found.differences.length === 0 && <p>{i18n.text("studio.same")}</p>}
      <ol>
        {found.differences.slice(0, LISTED).map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole
          <li key={index}>
            <button
              type="button"
              aria-current={one.step === at ? "step" : undefined}
              disabled={one.step === null}
              onClick={() => one.step !== null && onStep(one.step)}
            >
              <b>{i18n.text("studio.round", { round: one.round })}</b> {sentence(i18n, one)}
            </button>
          </li>
        ))}
      </ol>
      {found.differences.length > LISTED && <p>… {found.differences.length}</p>}
    </div>
  );
}

function place(i18n: I18n, { box, seat, hand }: { box: number; seat: number; hand: number }): string {
  const code = seat > 0 ? "diff.at_seat" : hand > 0 ? "diff.at_hand" : "diff.at_box";
  return i18n.text(code, { box, seat, hand });
}

function sentence(i18n: I18n, one: DifferenceView): string {
  const said = (values: DifferenceView["actual"]): string =>
    values ? values.map(i18n.value).join(" ") : i18n.text("diff.nothing");
  return i18n.text(`diff.${one.kind}`, {
    place: place(i18n, one),
    code: i18n.knows(`fault_name.${one.code}`) ? i18n.text(`fault_name.${one.code}`) : one.code,
    expected: said(one.expected),
    actual: said(one.actual),
  });
}

/** "Packs: 6": what it is called, and what it is in the file. */
function named({ name, says }: Field, i18n: I18n): string {
  return fieldName(name, i18n) + (says === undefined ? "" : `: ${i18n.value(says)}`);
}
