// What waits for the pit: stops of the table first, then questions of cameras, then what is only to be known.
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { alertFacts, tellsOf } from "../pit/alert-list";
import { stepsOf } from "../pit/alert-steps";
import { ALERT_REASONS, type AlertReason, Reasons } from "../pit/reasons";
import { wayDialog } from "../pit/ways";
import { at } from "../server/base";
import { roundAddress } from "../shared/address";
import type { AlertRow, HoldRow } from "../view";
import { Answers } from "./answers";
import { Link } from "./link";
import { MESSAGE } from "./message-line";
import { doubtKey, holdKey, type PitTable } from "./pit-table";
import type { Place } from "./place";

/** Each thing once: an alert or a question that only says what holds the table stands in its stop. */
export function Alerts({ table, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const { view } = table;
  const asked = view.doubts.map(doubtKey);
  const alerts = view.alerts.filter(
    (alert) => !alert.holds && alert.text.code !== MESSAGE && !asked.includes(JSON.stringify(alert.text)),
  );
  const doubts = view.doubts.filter((doubt) => !view.holds.some((hold) => tellsOf(hold)(doubt)));
  const count = view.holds.length + doubts.length + alerts.length;
  const wanted = Number(place.query.get("alert"));
  return (
    <section class="alerts-box" aria-label={i18n.text("ui.alerts")}>
      <h2>
        {i18n.text("ui.alerts")}
        <span>{i18n.text("ui.alerts_open", { count, stops: view.holds.length })}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <div class="scrolls" tabIndex={0}>
        {view.holds.map((hold) => (
          <Stop key={holdKey(hold)} hold={hold} table={table} />
        ))}
        {doubts.map((doubt) => (
          <article key={doubtKey(doubt)} class="alert critical">
            <header>
              <i aria-hidden="true">!</i>
              <b>{i18n.say(doubt.text)}</b>
            </header>
            <Answers doubt={doubt} table={table} />
          </article>
        ))}
        {alerts.map((alert) => (
          <Alert key={alert.alert} alert={alert} table={table} wanted={alert.alerts.includes(wanted)} />
        ))}
        {view.alerts_more > 0 && (
          <p class="quiet">{i18n.text("ui.more_rows", { count: view.alerts_more })}</p>
        )}
        {count === 0 && <p class="quiet">{i18n.text("ui.alerts_none")}</p>}
      </div>
    </section>
  );
}

/** One reason why the table waits: its own name, the sentence, the proof, and the ways out, the usual one first. */
function Stop({ hold, table }: { hold: HoldRow; table: PitTable }) {
  const i18n = useI18n();
  const { view, off, open } = table;
  const ruling = table.ruling?.alert === holdKey(hold) ? table.ruling : null;
  // It has what the witnesses had, and the money at stake.
  const alert = view.alerts.find((one) => one.holds && tellsOf(hold)(one));
  const doubt = view.doubts.find(tellsOf(hold));
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  const resume = (): void => void table.commands.run("RESUME", [{ do: "resume", without: lost }]);
  return (
    <article class="alert stop" data-hold={hold.code}>
      <header>
        <i aria-hidden="true">!</i>
        <b>{i18n.say(hold.title)}</b>
        <time>{i18n.clock(hold.since_utc_us)}</time>
      </header>
      <p>{i18n.say(hold.text)}</p>
      {hold.rule_text && <p class="quiet">{i18n.say(hold.rule_text)}</p>}
      {alert?.held && <Proof alert={alert} />}
      {doubt && <Answers doubt={doubt} table={table} />}
      <div class="ways">
        {hold.ways.map((way) => {
          const dialog = wayDialog(view, hold, way);
          const chosen = ruling?.way === way;
          return (
            <button
              key={way}
              type="button"
              class="key-small"
              data-way={way}
              aria-pressed={chosen}
              disabled={off || dialog === null}
              onClick={() => open(chosen ? null : dialog, { alert: holdKey(hold), way })}
            >
              <span class="sentence">{i18n.text(`way.${way}`)}</span>
            </button>
          );
        })}
      </div>
      {ruling?.form}
      <footer>
        {hold.ways.length === 0 && (
          <button type="button" class="key-small" data-key="RESUME" disabled={off} onClick={resume}>
            {i18n.text("key.RESUME")}
          </button>
        )}
        {alert?.money && <span>{i18n.text("ui.alert_money", { amount: { money: alert.money } })}</span>}
      </footer>
    </article>
  );
}

/** What the witnesses had at the moment: crops and the shoe's line. */
function Proof({ alert: { held } }: { alert: AlertRow }) {
  const i18n = useI18n();
  if (!held) return null;
  return (
    <div class="proof" data-held={held.at_utc_us}>
      {held.pictures.map(({ camera, picture }) => (
        <figure key={camera}>
          <img src={at(picture)} alt={i18n.text("ui.held_camera", { camera })} />
          <figcaption>
            {i18n.text("ui.held_camera", { camera })} · {i18n.clock(held.at_utc_us, true)}
          </figcaption>
        </figure>
      ))}
      {held.shoe && (
        <p class="quiet">
          {i18n.text("ui.held_shoe")}: {held.shoe.told.join(", ")} · {held.shoe.text}
        </p>
      )}
    </div>
  );
}

interface AlertProps {
  alert: AlertRow;
  table: PitTable;
  /** The address asks for it. */
  wanted: boolean;
}

/** An alert that stops nothing: open, seen, resolved with a reason. */
function Alert({ alert, table, wanted }: AlertProps) {
  const i18n = useI18n();
  const { view, off, commands, go } = table;
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState<AlertReason | null>(null);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wanted) place.current?.scrollIntoView({ block: "nearest" });
  }, [wanted]);
  const step = (name: "ack" | "resolve", note = ""): void =>
    void commands.run("ALERT", stepsOf(alert, name, note));
  return (
    <article
      ref={place}
      class={`alert ${alert.severity} ${alert.status}${wanted ? " wanted" : ""}`}
      data-alert={alert.alert}
    >
      <header>
        <i aria-hidden="true">{alert.severity === "info" ? "i" : "!"}</i>
        <b>{i18n.say(alert.text)}</b>
      </header>
      <p class="quiet">{alertFacts(alert, i18n, false).join(" · ")}</p>
      {alert.held && <Proof alert={alert} />}
      {asks && <Reasons reasons={ALERT_REASONS} chosen={reason} onChoose={setReason} />}
      <footer>
        {alert.round > 0 && alert.round < view.round && (
          <Link
            to={roundAddress(alert.round, alert.box > 0 ? { box: alert.box } : {})}
            go={go}
            class="key-small"
            name="alert-round"
          >
            {i18n.text("ui.open_round", { round: alert.round })}
          </Link>
        )}
        {alert.status === "open" && (
          <button type="button" class="key-small" data-step="ack" disabled={off} onClick={() => step("ack")}>
            {i18n.text("ui.ack")}
          </button>
        )}
        {asks ? (
          <button
            type="button"
            class="key-small main"
            data-step="resolve"
            disabled={off || reason === null}
            onClick={() => reason && step("resolve", reason)}
          >
            {i18n.text("ui.resolve")}
          </button>
        ) : (
          <button
            type="button"
            class="key-small"
            data-step="ask"
            disabled={off}
            onClick={() => setAsks(true)}
          >
            {i18n.text("ui.resolve_dots")}
          </button>
        )}
      </footer>
    </article>
  );
}
