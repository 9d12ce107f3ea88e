// One alert, or several that say the same: what is known of it, who looks after it, how it was resolved.
import { useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { at } from "../server/base";
import type { Act } from "../server/commands";
import { roundAddress } from "../shared/address";
import { BoxSights } from "../shared/camera-view";
import type { AlertRow, HeldEvidence, TableView } from "../view";
import { ActDialog } from "./act-dialog";
import { alertFacts, tellsOf } from "./alert-list";
import { stepsOf } from "./alert-steps";
import type { Dialog } from "./dialog-kinds";
import { HoldList } from "./hold-list";
import { ALERT_REASONS, type AlertReason, Reasons } from "./reasons";

interface Props {
  /** As it was when it was opened: it may have closed by itself since. */
  alert: AlertRow;
  view: TableView;
  off: boolean;
  onSteps: (acts: readonly Act[]) => void;
  onOpen: (dialog: Dialog) => void;
  onCancel: () => void;
}

/** Resolving asks for a reason, and is off while the table waits for the cause: the ruling stands there instead. */
export function AlertDialog({ alert: opened, view, off, onSteps, onOpen, onCancel }: Props) {
  const i18n = useI18n();
  const [reason, setReason] = useState<AlertReason | null>(null);
  const [to, setTo] = useState("");
  const alert = view.alerts.find((one) => one.alert === opened.alert) ?? opened;
  const holds = view.holds.filter((hold) => alert.holds && tellsOf(hold)(alert));
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  return (
    <ActDialog
      title={i18n.text("ui.alert_title")}
      size="medium"
      ready={reason !== null && !alert.holds && !off}
      applyText={i18n.text("ui.resolve")}
      onApply={() => onSteps(stepsOf(alert, "resolve", reason ?? ""))}
      onCancel={onCancel}
    >
      <p class="alert-text weight-650" data-alert={alert.alert}>
        {i18n.say(alert.text)}
      </p>
      <p class="quiet">{alertFacts(alert, i18n, true).join(" · ")}</p>
      <Evidence alert={alert} view={view} />
      <div class="assign flex gap-12">
        <label class="fill">
          {i18n.text("ui.alert_assign_to")}
          <input
            name="assign"
            maxLength={40}
            value={to}
            onInput={(event) => setTo(event.currentTarget.value.trim())}
          />
        </label>
        <button
          type="button"
          class="plain"
          data-key="ASSIGN"
          disabled={off || to === ""}
          onClick={() => onSteps(stepsOf(alert, "assign", to))}
        >
          {i18n.text("ui.assign")}
        </button>
      </div>
      {alert.holds ? (
        <>
          <p class="problem">{i18n.text("ui.alert_holds")}</p>
          <HoldList view={{ ...view, holds }} off={off} onOpen={onOpen} />
          {holds.every((hold) => hold.ways.length === 0) && (
            <button
              type="button"
              class="plain"
              data-key="GO_ON"
              disabled={off}
              onClick={() => onSteps([{ do: "resume", without: lost }])}
            >
              {i18n.text("key.RESUME")}
            </button>
          )}
        </>
      ) : (
        <Reasons reasons={ALERT_REASONS} chosen={reason} onChoose={setReason} />
      )}
    </ActDialog>
  );
}

/** What the witnesses had at the moment of the hold: the cameras' crops, the shoe's line as bytes and meaning. */
function Held({ held }: { held: HeldEvidence }) {
  const i18n = useI18n();
  return (
    <div class="held" data-held={held.at_utc_us}>
      <h3>{i18n.text("ui.held_at", { time: i18n.clock(held.at_utc_us) })}</h3>
      {held.pictures.map(({ camera, picture }) => (
        <figure key={camera} data-held-camera={camera}>
          <img src={at(picture)} alt={i18n.text("ui.held_camera", { camera })} />
          <figcaption>{i18n.text("ui.held_camera", { camera })}</figcaption>
        </figure>
      ))}
      {held.shoe && (
        <dl data-held-shoe>
          <dt>{i18n.text("ui.held_shoe")}</dt>
          <dd>
            <code>{held.shoe.hex}</code>
          </dd>
          <dd>
            <code>{held.shoe.text}</code>
          </dd>
          {held.shoe.reports.map((report) => (
            <dd key={report}>{report}</dd>
          ))}
        </dl>
      )}
    </div>
  );
}

/** What the witnesses had then, what the cameras see at the place now, and how the devices are that the alert speaks of. */
function Evidence({ alert, view }: { alert: AlertRow; view: TableView }) {
  const i18n = useI18n();
  const named = Object.values(alert.text.params);
  const cameras = view.devices.some((device) => device.kind === "camera");
  const devices = view.devices.filter(({ name, kind }) => named.includes(name) || kind === "shoe");
  return (
    <section class="evidence flex wrap gap-16 soft" aria-label={i18n.text("ui.evidence")}>
      {alert.held && <Held held={alert.held} />}
      {cameras && alert.box >= 0 && (
        <div class="now">
          {alert.held && <h3>{i18n.text("ui.held_now")}</h3>}
          <BoxSights box={alert.box} />
        </div>
      )}
      <ul>
        {devices.map((device) => (
          <li key={device.name} data-evidence={device.name}>
            {i18n.text("ui.evidence_device", {
              device: device.name,
              state: i18n.text(`ui.device_${device.state}`),
              seconds: Math.round((device.age_ms ?? 0) / 1000),
            })}
          </li>
        ))}
      </ul>
      {alert.round > 0 && alert.round < view.round && (
        <a class="plain small" data-replay={alert.round} href={roundAddress(alert.round)}>
          {i18n.text("ui.replay_round", { round: alert.round })}
        </a>
      )}
    </section>
  );
}
