// What if, and expected against actual: a line, a rule or the house is otherwise, and the money that moves shows.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { I18n } from "../i18n/i18n";
import type { Words } from "../view";
import { type Difference, post, type StepMark, type StudioFile, type WhatIf } from "./bodies";
import { asJson, Compare } from "./compare";
import { fieldName } from "./field-name";
import { differingSteps } from "./stepping";
import { WasWould } from "./was-would";

/** What differs is listed up to here; the first ones lead to the others. */
const LISTED = 200;

interface Props {
  number: number;
  file: StudioFile;
  mark: StepMark;
  at: number;
  onStep: (at: number) => void;
  /** Hears at which steps the last answer differs. */
  onDiffering: (steps: readonly number[]) => void;
}

/** What came of a form; about one round, or about the whole file where there is none. */
interface Answer {
  round: number | undefined;
  answer: WhatIf;
}

/** The two forms and what came of the one that was sent last. */
export function Otherwise({ number, file, mark, at, onStep, onDiffering }: Props) {
  const i18n = useI18n();
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  const [found, setFound] = useState<Answer | null>(null);
  const [refused, setRefused] = useState<Words | null>(null);
  const send = async (path: string, body: object, round?: number): Promise<WhatIf | null> => {
    const { answer, refusal } = await post<WhatIf>(`/${number}${path}`, body);
    setFound(answer && { round, answer });
    setRefused(refusal);
    onDiffering(answer ? differingSteps(answer) : []);
    return answer;
  };
  const change = (event: Event): void => {
    event.preventDefault();
    const [kind, name] = field.split(" ");
    if (!kind || !name) return;
    const told = { [name]: kind === "line" && !AMOUNTS.has(name) ? value : asJson(value) };
    const round = mark.round;
    const otherwise = kind === "line" ? { lines: [{ line: mark.line, fields: told }] } : { [kind]: told };
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
          <select value={field} onChange={(event) => setField(event.currentTarget.value)}>
            <option value="" />
            <optgroup label={`${i18n.text("studio.entry")} ${mark.line}`}>
              {LINE_FIELDS.map((name) => (
                <option key={name} value={`line ${name}`}>
                  {fieldName(name, i18n)}
                </option>
              ))}
            </optgroup>
            <optgroup label={i18n.text("studio.rule")}>
              {file.fields.map(([name, was]) => (
                <option key={name} value={`rules ${name}`}>{`${name} = ${was}`}</option>
              ))}
              {file.options.map(([name, was]) => (
                <option key={name} value={`options ${name}`}>{`${name} = ${was}`}</option>
              ))}
            </optgroup>
          </select>
        </label>
        <label>
          {i18n.text("studio.value")}
          <input
            value={value}
            placeholder={i18n.text("studio.as_json")}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
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

/** What a tester changes in a line; each kind of line has some of them. */
const LINE_FIELDS = [
  "rank",
  "suit",
  "action",
  "stake",
  "box",
  "hand",
  "seat",
  "to",
  "face",
  "amount",
] as const;

/** Those of them that are numbers; the others are words, the rank 9 as well. */
const AMOUNTS: ReadonlySet<string> = new Set(["stake", "box", "hand", "seat", "amount"]);

interface FoundProps {
  found: WhatIf;
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

function sentence(i18n: I18n, one: Difference): string {
  const nothing = i18n.text("diff.nothing");
  return i18n.text(`diff.${one.kind}`, {
    place: place(i18n, one),
    code: i18n.knows(`fault_name.${one.code}`) ? i18n.text(`fault_name.${one.code}`) : one.code,
    expected: one.expected ?? nothing,
    actual: one.actual ?? nothing,
  });
}
