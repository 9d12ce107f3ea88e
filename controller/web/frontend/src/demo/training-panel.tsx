// The score of whoever deals at the demo: pace, taps, and each mistake with the rule that it is against.
import { useI18n } from "../i18n/context";
import { CloseKey, Dialog } from "../shared/dialog";
import { score, type Training } from "./training";

interface Props {
  training: Training;
  /** The person deals himself; the simulation plays otherwise, and nothing is scored. */
  deals: boolean;
  onDeal: () => void;
  onClose: () => void;
}

/** The newest mistake first. */
export function TrainingPanel({ training, deals, onDeal, onClose }: Props) {
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
    <Dialog title={i18n.text("ui.training")} size="wide" onCancel={onClose}>
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
          <button type="button" class="plain" data-key="TRAIN" onClick={onDeal}>
            {i18n.text("ui.training_deal")}
          </button>
        )}
        <button type="button" class="plain" data-key="AGAIN" onClick={training.again}>
          {i18n.text("ui.training_again")}
        </button>
      </div>
      <CloseKey onClose={onClose} />
    </Dialog>
  );
}
