// The frame of a ruling: a dialog with "cancel" and "apply", or a part of its alert; before "apply" nothing is sent.
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { useI18n } from "../i18n/context";
import type { Observation } from "../server/commands";
import { Dialog } from "../shared/dialog";
import type { TableView } from "../view";
import { SecondContext, SecondSigns } from "./second-signs";

/** The ruling stands inside the alert that it answers, whose keys choose and leave it. */
export const InAlert = createContext(false);

/** What a dialog is given that ends in one fact: who acts, and the table that he sees. */
export interface FactProps {
  actor: string;
  view: TableView;
  off: boolean;
  /** `seq` is the table that the person has confirmed, with what a preview worked out on it. */
  onApply: (obs: Observation, seq: number) => void;
  onCancel: () => void;
}

interface Props {
  title: string;
  size: "small" | "medium" | "wide";
  /** Whether "apply" may be pressed. */
  ready: boolean;
  /** What "apply" is called here. */
  applyText?: string;
  onApply: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

/** What ends in a ruling or in none. */
export function ActDialog({ title, size, ready, applyText, onApply, onCancel, children }: Props) {
  const i18n = useI18n();
  const second = useContext(SecondContext);
  const inAlert = useContext(InAlert);
  const apply = (
    <button
      type="button"
      class={inAlert ? "key-small main" : "plain main"}
      data-key="APPLY"
      disabled={!ready || (second.needed && second.person === null)}
      onClick={onApply}
    >
      {applyText ?? i18n.text(inAlert ? "ui.sign_ruling" : "ui.apply")}
    </button>
  );
  if (inAlert) {
    return (
      <section class="ruling grid gap-8" aria-label={title}>
        {children}
        {second.needed && <SecondSigns />}
        {apply}
      </section>
    );
  }
  return (
    <Dialog title={title} size={size} onCancel={onCancel}>
      {children}
      {second.needed && <SecondSigns />}
      <div class="dialog-keys">
        <button type="button" class="plain" onClick={onCancel}>
          {i18n.text("ui.cancel")}
        </button>
        {apply}
      </div>
    </Dialog>
  );
}
