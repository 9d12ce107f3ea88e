// Training: the score of a person who deals, and its panel.

import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { Panel } from "../shared/dialog";
import { PlainKey } from "../shared/keys";
import type { TableView, Words } from "../view";

/** A press that was refused, or a fault that the table found, and the rule that it is against. */
interface Mistake {
  number: number;
  round: number;
  said: Words;
  rule: Words;
}

/** A round that was dealt by hand from its first press to its end. */
interface Dealt {
  seconds: number;
  taps: number;
  hands: number;
}

/** Everything since the person took over, or began anew. */
export interface Training {
  rounds: readonly Dealt[];
  mistakes: readonly Mistake[];
  again: () => void;
}

/** What of the page a dealer works with; doors and panels are not counted. */
const WORKED_WITH = ".bar, .felt, .sheet";

const NO_RULES: ReadonlySet<string> = new Set(["TOO_SOON", "TWICE", "TABLE_BUSY", "STALE_COMMAND"]);

/** The rule behind a refusal or a fault; the line itself where the house has no rule of its own for it. */
export function ruleOf({ code }: Words, known: (code: string) => boolean): Words | null {
  const [, name = ""] = code.split(".");
  if (NO_RULES.has(name)) return null;
  return { code: known(`rule.${name}`) ? `rule.${name}` : "rule.LINE", params: {} };
}

/** Scores while `scored`: the person deals, and the simulation does not play by itself. */
export function useTraining(
  view: TableView,
  refusal: Words | null,
  scored: boolean,
  known: (code: string) => boolean,
): Training {
  const [rounds, setRounds] = useState<readonly Dealt[]>([]);
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  const taps = useTaps(scored);
  const began = useRef<number | null>(null);
  const hands = useRef(0);
  const round = useRef(view.round);
  const seen = useRef(0);
  const add = (said: Words): void => {
    const rule = ruleOf(said, known);
    if (rule)
      setMistakes((before) => [...before, { number: before.length + 1, round: view.round, said, rule }]);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: one refusal is one mistake, whatever else is drawn anew.
  useEffect(() => {
    if (scored && refusal) add(refusal);
  }, [refusal]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told by each new view.
  useEffect(() => {
    const newest = Math.max(seen.current, ...view.alerts.map((one) => one.alert));
    if (scored) {
      for (const alert of view.alerts.filter(
        (one) => one.alert > seen.current && one.severity === "critical",
      ))
        add(alert.text);
    }
    seen.current = newest;
    if (!scored) began.current = null;
    else if (view.round !== round.current) {
      if (began.current !== null && hands.current > 0) {
        const dealt = {
          seconds: (performance.now() - began.current) / 1000,
          taps: taps.taken(),
          hands: hands.current,
        };
        setRounds((before) => [...before, dealt]);
      }
      began.current = performance.now();
      taps.taken();
    } else began.current ??= performance.now();
    round.current = view.round;
    hands.current = view.boxes.reduce((sum, box) => sum + box.hands.length, 0) || hands.current;
  }, [view]);
  const again = (): void => {
    setRounds([]);
    setMistakes([]);
    taps.taken();
    began.current = null;
  };
  return { rounds, mistakes, again };
}

/** Counts fingers and keys; `taken` gives the number and begins at none. */
function useTaps(scored: boolean): { taken: () => number } {
  const count = useRef(0);
  useEffect(() => {
    if (!scored) return undefined;
    const tapped = (event: Event): void => {
      if (event.target instanceof Element && event.target.closest(WORKED_WITH)) count.current++;
    };
    const typed = (event: KeyboardEvent): void => {
      if (!event.repeat && !document.querySelector("dialog.dialog[open]")) count.current++;
    };
    addEventListener("pointerdown", tapped, true);
    addEventListener("keydown", typed, true);
    return () => {
      removeEventListener("pointerdown", tapped, true);
      removeEventListener("keydown", typed, true);
    };
  }, [scored]);
  return {
    taken: () => {
      const taken = count.current;
      count.current = 0;
      return taken;
    },
  };
}

/** Means over the rounds; null before the first one. */
export function score(
  rounds: readonly Dealt[],
): { seconds: number; taps: number; handsAnHour: number } | null {
  if (rounds.length === 0) return null;
  const sum = (of: (one: Dealt) => number): number => rounds.reduce((all, one) => all + of(one), 0);
  const seconds = sum((one) => one.seconds);
  return {
    seconds: seconds / rounds.length,
    taps: sum((one) => one.taps) / rounds.length,
    handsAnHour: (sum((one) => one.hands) * 3600) / Math.max(seconds, 1),
  };
}

interface TrainingPanelProps {
  training: Training;
  /** The person deals himself; the simulation plays otherwise, and nothing is scored. */
  deals: boolean;
  onDeal: () => void;
  onClose: () => void;
}

/** The newest mistake first. */
export function TrainingPanel({ training, deals, onDeal, onClose }: TrainingPanelProps) {
  const i18n = useI18n();
  const mean = score(training.rounds);
  const { mistakes } = training;
  const figures = [
    ["rounds", i18n.number(training.rounds.length)],
    ["mistakes", i18n.number(mistakes.length)],
    ["seconds", mean ? i18n.number(mean.seconds, 1) : "–"],
    ["taps", mean ? i18n.number(mean.taps, 1) : "–"],
    ["pace", mean ? i18n.number(Math.round(mean.handsAnHour)) : "–"],
  ] as const;
  return (
    <Panel title={i18n.text("ui.training")} size="wide" onCancel={onClose}>
      <p class="quiet">{i18n.text(deals ? "ui.training_hint" : "ui.training_off")}</p>
      <dl class="score flex wrap">
        {figures.map(([name, value]) => (
          <div key={name} data-score={name}>
            <dt class="size-16 soft">{i18n.text(`ui.training_${name}`)}</dt>
            <dd class="weight-750">{value}</dd>
          </div>
        ))}
      </dl>
      {mistakes.length > 0 && (
        <ol class="mistakes grid gap-10 scroll-y">
          {[...mistakes].reverse().map(({ number, round, said, rule }) => (
            <li class="grid" key={number} data-mistake={said.code}>
              <b>
                {i18n.text("studio.round", { round })}: {i18n.say(said)}
              </b>
              <span>{i18n.text("ui.rule", { source: i18n.say(rule) })}</span>
            </li>
          ))}
        </ol>
      )}
      <div class="dialog-keys">
        {!deals && (
          <PlainKey data-key="TRAIN" onClick={onDeal}>
            {i18n.text("ui.training_deal")}
          </PlainKey>
        )}
        <PlainKey data-key="AGAIN" onClick={training.again}>
          {i18n.text("ui.training_again")}
        </PlainKey>
      </div>
    </Panel>
  );
}
