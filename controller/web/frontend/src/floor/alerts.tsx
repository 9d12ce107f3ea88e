// What waits for the pit: stops of the table first, then questions of cameras, then what is only to be known.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { alertFacts, tellsOf } from "../pit/alert-list";
import { stepsOf } from "../pit/alert-steps";
import { cardSubject } from "../pit/entered/subject";
import { cardCode, Readings } from "../pit/readings";
import { ALERT_REASONS, type AlertReason, Reasons } from "../pit/reasons";
import { wayDialog } from "../pit/ways";
import { at } from "../server/base";
import { roundAddress } from "../shared/address";
import { SmallKey } from "../shared/small-key";
import type { AlertRow, DoubtRow, HoldRow, Words } from "../view";
import { rankOf } from "../vocabulary";
import { Answers } from "./answers";
import { FROZEN } from "./freeze";
import { Link } from "./link";
import { MESSAGE } from "./message-line";
import { doubtKey, holdKey, type PitTable } from "./pit-table";
import { addressOf, type Place } from "./place";

/** One thing that waits, under the number that its address names it by. */
interface Waiting {
  number: number;
  hold?: HoldRow;
  doubt?: DoubtRow | undefined;
  /** It has what the witnesses had, and the money at stake. */
  alert?: AlertRow | undefined;
}

/** Each thing once: an alert or a question that only says what holds the table stands in its stop. */
function waiting({ holds, doubts, alerts }: PitTable["view"]): Waiting[] {
  // Whoever has frozen the table knows it: its line says so, and Release stands above it.
  const stops = holds
    .filter(({ code, by }) => code !== FROZEN || !by.startsWith("pit:"))
    .map((hold): Waiting => {
      const alert = alerts.find((one) => one.holds && tellsOf(hold)(one));
      return { number: alert?.alert ?? hold.since_utc_us, hold, alert, doubt: doubts.find(tellsOf(hold)) };
    });
  const questions = doubts
    .filter((doubt) => !holds.some((hold) => tellsOf(hold)(doubt)))
    .map((doubt): Waiting => {
      const alert = alerts.find(({ text }) => JSON.stringify(text) === doubtKey(doubt));
      return { number: alert?.alert ?? doubt.doubt, doubt, alert };
    });
  const asked = doubts.map(doubtKey);
  const told = alerts
    .filter(({ holds, text }) => !holds && text.code !== MESSAGE && !asked.includes(JSON.stringify(text)))
    .map((alert): Waiting => ({ number: alert.alert, alert }));
  return [...stops, ...questions, ...told];
}

/** One of them is open, the first or the one that the address names; the others are a line, and open by a press. */
export function Alerts({ table, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const { view } = table;
  const all = waiting(view);
  const named = Number(place.query.get("alert"));
  const wanted = all.find(({ number, alert }) => number === named || alert?.alerts.includes(named));
  const query = Object.fromEntries(place.query);
  const pick = (number: number): void =>
    table.go(addressOf("tables", place.what, { ...query, alert: String(number) }), true);
  return (
    <section class="alerts-box" data-open={all.length > 0} aria-label={i18n.text("ui.alerts")}>
      <h2>
        {i18n.text("ui.alerts")}
        <span>
          {i18n.text("ui.alerts_open", {
            count: all.length,
            stops: all.filter(({ hold }) => hold).length,
          })}
        </span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard. */}
      <div class="scrolls" tabIndex={0}>
        {all.map((one) => {
          const { number, hold, doubt, alert } = one;
          const frame = {
            open: one === (wanted ?? all[0]),
            wanted: one === wanted,
            onOpen: () => pick(number),
          };
          if (hold) return <Stop key={holdKey(hold)} {...{ hold, doubt, alert, table, frame }} />;
          if (doubt) return <Question key={doubtKey(doubt)} {...{ doubt, table, frame }} />;
          return alert && <Alert key={number} {...{ alert, table, frame }} />;
        })}
        {view.alerts_more > 0 && (
          <p class="quiet">{i18n.text("ui.more_rows", { count: view.alerts_more })}</p>
        )}
        {all.length === 0 && <p class="quiet">{i18n.text("ui.alerts_none")}</p>}
      </div>
    </section>
  );
}

/** Whether a thing is open, whether the address asks for it, and what a press on its name does. */
interface Frame {
  open: boolean;
  wanted: boolean;
  onOpen: () => void;
}

interface CardProps {
  frame: Frame;
  look: string;
  title: Words;
  /** What tests and addresses find it by. */
  name: Record<string, string | number>;
  time?: string;
  glyph?: string;
  children: ComponentChildren;
}

/** Its name is the key that opens it; what the address names is brought into sight. */
function Card({
  frame: { open, wanted, onOpen },
  look,
  title,
  name,
  time,
  glyph = "!",
  children,
}: CardProps) {
  const i18n = useI18n();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wanted) place.current?.scrollIntoView({ block: "nearest" });
  }, [wanted]);
  return (
    <article ref={place} class={`alert ${look}${wanted ? " wanted" : ""}`} {...name}>
      <header>
        <i aria-hidden="true">{glyph}</i>
        <button type="button" class="alert-name" aria-expanded={open} onClick={onOpen}>
          {i18n.say(title)}
        </button>
        {time && <time>{time}</time>}
      </header>
      {children}
    </article>
  );
}

/** A card that a camera reads in two ways. */
function Question({ doubt, table, frame }: { doubt: DoubtRow; table: PitTable; frame: Frame }) {
  return (
    <Card frame={frame} look="critical" title={doubt.text} name={{ "data-question": doubt.doubt }}>
      {frame.open && <Answers doubt={doubt} table={table} />}
    </Card>
  );
}

interface StopProps extends Pick<Waiting, "doubt" | "alert"> {
  hold: HoldRow;
  table: PitTable;
  frame: Frame;
}

/** One reason why the table waits: its own name, the sentence, the proof, and the ways out, the usual one first. */
function Stop({ hold, doubt, alert, table, frame }: StopProps) {
  const i18n = useI18n();
  return (
    <Card
      frame={frame}
      look="stop"
      title={hold.title}
      name={{ "data-hold": hold.code }}
      time={i18n.clock(hold.since_utc_us)}
    >
      <p>{i18n.say(hold.text)}</p>
      {frame.open && (
        <>
          {hold.rule_text && <p class="quiet">{i18n.say(hold.rule_text)}</p>}
          {alert?.held && <Proof alert={alert} />}
          {doubt && <Answers doubt={doubt} table={table} />}
          <Ways hold={hold} table={table} />
        </>
      )}
      {alert?.money && (
        <footer>
          <span>{i18n.text("ui.alert_money", { amount: { money: alert.money } })}</span>
        </footer>
      )}
    </Card>
  );
}

/** The ways out that the house allows, and below them what the chosen one changes and who signs. */
function Ways({ hold, table }: { hold: HoldRow; table: PitTable }) {
  const i18n = useI18n();
  const { view, off, open } = table;
  const ruling = table.ruling?.alert === holdKey(hold) ? table.ruling : null;
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  const resume = (): void => void table.commands.run("RESUME", [{ do: "resume", without: lost }]);
  return (
    <>
      {hold.readings.length > 0 && hold.card > 0 && hold.round === view.round && (
        <div class="answers">
          <Readings
            readings={hold.readings}
            chosen={ruling?.way ?? null}
            off={off}
            onChoose={(card) => {
              const way = cardCode(card);
              const at = {
                ...cardSubject(view, hold.card),
                way: "correct",
                rank: rankOf(card.rank),
              } as const;
              open(ruling?.way === way ? null : { open: "entered", at }, { alert: holdKey(hold), way });
            }}
          />
        </div>
      )}
      <div class="ways">
        {hold.ways.map((way) => {
          const dialog = wayDialog(view, hold, way);
          const chosen = ruling?.way === way;
          return (
            <SmallKey
              key={way}
              data-way={way}
              aria-pressed={chosen}
              disabled={off || dialog === null}
              // An entry that is wrong is found on the felt; every other way is whole in its stop.
              onClick={() =>
                open(chosen ? null : dialog, way === "amend" ? undefined : { alert: holdKey(hold), way })
              }
            >
              <span class="sentence">{i18n.text(`way.${way}`)}</span>
            </SmallKey>
          );
        })}
        {hold.ways.length === 0 && (
          <SmallKey data-key="RESUME" disabled={off} onClick={resume}>
            {i18n.text("key.RESUME")}
          </SmallKey>
        )}
      </div>
      {ruling?.form}
    </>
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
          {i18n.text("ui.held_shoe")}: {held.shoe.reports.join(", ")} · {held.shoe.text}
        </p>
      )}
    </div>
  );
}

interface AlertProps {
  alert: AlertRow;
  table: PitTable;
  frame: Frame;
}

/** An alert that stops nothing: open, seen, resolved with a reason. */
function Alert({ alert, table, frame }: AlertProps) {
  const i18n = useI18n();
  const { view, off, commands, go } = table;
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState<AlertReason | null>(null);
  const step = (name: "ack" | "resolve", note = ""): void =>
    void commands.run("ALERT", stepsOf(alert, name, note));
  return (
    <Card
      frame={frame}
      look={`${alert.severity} ${alert.status}`}
      title={alert.text}
      name={{ "data-alert": alert.alert }}
      glyph={alert.severity === "info" ? "i" : "!"}
    >
      <p class="quiet">{alertFacts(alert, i18n, false).join(" · ")}</p>
      {frame.open && alert.held && <Proof alert={alert} />}
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
          <SmallKey data-step="ack" disabled={off} onClick={() => step("ack")}>
            {i18n.text("ui.ack")}
          </SmallKey>
        )}
        {asks ? (
          <SmallKey
            class="key-small main"
            data-step="resolve"
            disabled={off || reason === null}
            onClick={() => reason && step("resolve", reason)}
          >
            {i18n.text("ui.resolve")}
          </SmallKey>
        ) : (
          <SmallKey data-step="ask" disabled={off} onClick={() => setAsks(true)}>
            {i18n.text("ui.resolve_dots")}
          </SmallKey>
        )}
      </footer>
    </Card>
  );
}
