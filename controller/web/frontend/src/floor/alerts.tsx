// What waits for the pit: stops of the table first, then questions of cameras, then what is only to be known.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { alertFacts, Proof, stepsOf, tellsOf, WayKeys } from "../pit/alerts";
import { cardCode, Readings } from "../pit/camera-doubt";
import { FROZEN } from "../pit/pit-bar";
import { ALERT_REASONS, type AlertReason, Reasons } from "../pit/ruling";
import { cardSubject, wayDialog } from "../pit/ways";
import { fetchJson, pitPageOf, roundAddress } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { Commands } from "../shared/use-commands";
import type { AlertRow, DoubtRow, HoldRow, TableView, Tile, Words } from "../view";
import { rankOf, type Way } from "../vocabulary";
import { Answers, Before } from "./answers";
import { Scrolls, Section } from "./list";
import { doubtKey, holdKey, MESSAGE, type PitTable } from "./live-table";
import { addressOf, type Go, Link, type Place, useShift } from "./place";
import { Age, clockOf, UsualAnswer, useAnswered } from "./tiles";

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

/** What comes first: stops, then money at stake, then age; what somebody has seen comes last. */
function urgency(stop: boolean, seen: boolean, money: string | null | undefined, since: number): number[] {
  return [seen ? 2 : stop ? 0 : 1, -Number(money ?? 0), since];
}

const urgencyOf = ({ hold, alert, number }: Waiting): number[] =>
  urgency(
    hold !== undefined,
    alert !== undefined && !hold && alert.status !== "open",
    alert?.money,
    hold?.since_utc_us ?? alert?.since_utc_us ?? number,
  );

interface AlertsProps {
  /** Null while the page goes to another table. */
  table: PitTable | null;
  view: TableView;
  go: Go;
  place: Place;
  /** Those of all tables. */
  floor?: boolean;
}

/**
 * One of them is open, the first of the table or the one that the address names; the others are a line, and open by a
 * press. On the floor the lines of other tables choose their table.
 */
export function Alerts({ table, view, go, place, floor = false }: AlertsProps) {
  const i18n = useI18n();
  const { tiles } = useShift();
  const own = table ? waiting(view) : [];
  const others = floor
    ? tiles.flatMap((tile) =>
        table && tile.table === view.table ? [] : tile.waits.map((wait) => ({ tile, wait })),
      )
    : [];
  const named = Number(place.query.get("alert"));
  const wanted = own.find(
    ({ number, hold, alert }) =>
      number === named || hold?.since_utc_us === named || alert?.alerts.includes(named),
  );
  const query = Object.fromEntries(place.query);
  const pick = (number: number, base?: string, way = ""): void =>
    go(addressOf(place.page, place.what, { ...query, alert: String(number), way }, base), base === undefined);
  const answers = useAnswered();
  const answered = floor ? answers : [];
  const cards = [
    ...own.map((one) => {
      const frame = {
        open: one === (wanted ?? own[0]),
        wanted: one === wanted,
        onOpen: () => pick(one.number),
        way: one === wanted ? (place.query.get("way") ?? "") : "",
        of: floor ? `${view.table} · ` : "",
      };
      const { hold, doubt, alert } = one;
      const key = `${view.table} ${nameOf(one)}`;
      const card =
        table &&
        ((hold && <Stop key={key} {...{ hold, doubt, alert, table, frame }} />) ??
          (doubt && <Question key={key} {...{ doubt, alert, table, frame }} />) ??
          (alert && <Alert key={key} {...{ alert, table, frame }} />));
      return { by: urgencyOf(one), card };
    }),
    ...others.map(({ tile, wait }) => ({
      by: urgency(wait.kind === "stop", wait.seen_by !== "", wait.money, wait.since_utc_us),
      card: (
        <Other
          key={`${tile.table} ${wait.kind} ${wait.number}`}
          tile={tile}
          wait={wait}
          commands={table && (table.played || !table.off) ? table.commands : null}
          onOpen={(way) => pick(wait.number, pitPageOf(tile.table), way)}
        />
      ),
    })),
  ].sort(({ by: one }, { by: other }) => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
  });
  const stops =
    own.filter(({ hold }) => hold).length + others.filter(({ wait }) => wait.kind === "stop").length;
  const last = answered[0];
  return (
    <Section
      class="alerts-box"
      data-open={cards.length > 0}
      name="ui.alerts"
      beside={[
        i18n.text("ui.alerts_open", { count: cards.length, stops }),
        last && " · ",
        <UsualAnswer key="usual" answered={answered} />,
      ]}
    >
      <Scrolls look="stack gap-10">
        {cards.map(({ card }) => card)}
        {view.alerts_more > 0 && (
          <p class="quiet">{i18n.text("ui.more_rows", { count: view.alerts_more })}</p>
        )}
        {cards.length === 0 && (
          <p class="quiet">
            {i18n.text("ui.alerts_none")}{" "}
            {last && i18n.text("ui.alerts_last", { time: i18n.clock(last.at_utc_us), table: last.table })}
          </p>
        )}
        {answered.slice(0, cards.length === 0 ? ANSWERED : ANSWERED_BESIDE).map((one) => (
          <p
            key={`${one.table} ${one.at_utc_us} ${one.title.code}`}
            class="quiet answered flex between gap-10"
            data-answered
          >
            {i18n.clock(one.at_utc_us)} {one.table} · {i18n.say(one.title)}{" "}
            <span>{i18n.text("ui.answered_in", { time: clockOf(one.at_utc_us - one.since_utc_us) })}</span>
          </p>
        ))}
      </Scrolls>
    </Section>
  );
}

const ANSWERED = 5;
const ANSWERED_BESIDE = 2;

const nameOf = ({ hold, doubt, number }: Waiting): string =>
  hold ? holdKey(hold) : doubt ? doubtKey(doubt) : String(number);

interface OtherProps {
  tile: Tile;
  wait: Tile["waits"][number];
  /** Null while nothing can be sent. */
  commands: Commands | null;
  /** Goes to its table, where `way` is open. */
  onOpen: (way?: string) => void;
}

/** What waits at another table: a press goes there and opens the answer, what stops nothing is acknowledged from here. */
function Other({ tile, wait, commands, onOpen }: OtherProps) {
  const i18n = useI18n();
  const steps = wait.kind === "alert" && !tile.elsewhere;
  const seen = async (): Promise<void> => {
    const base = pitPageOf(tile.table);
    const now = await fetchJson<TableView>("/api/state", undefined, base);
    const open = (now?.alerts ?? []).filter(
      ({ status, holds, text }) =>
        status === "open" && !holds && JSON.stringify(text) === JSON.stringify(wait.text),
    );
    // Over, or another one by now: it is seen at its table.
    if (open.length === 0) return onOpen();
    await commands?.run(
      "ALERT",
      open.flatMap((alert) => stepsOf(alert, "ack")),
      now?.seq,
      base,
    );
  };
  const look = wait.kind === "stop" ? "stop" : wait.kind === "question" ? "critical" : wait.severity;
  const frame = {
    open: false,
    wanted: false,
    onOpen: tile.opens ? () => onOpen(steps ? RESOLVES : "") : undefined,
    of: `${tile.table} · `,
    way: "",
  };
  return (
    <Card
      frame={frame}
      look={wait.seen_by ? `${look} acked` : look}
      title={wait.title}
      name={{ "data-of": tile.table, "data-waits": wait.kind }}
      since={wait.since_utc_us}
      times={wait.times}
    >
      {wait.text && (wait.kind === "stop" || wait.money) && <Sentence text={wait.text} money={wait.money} />}
      {wait.seen_by && <Seen wait={wait} />}
      {tile.opens && (
        <div class="ways grid gap-8">
          {wait.ways.map((way) => (
            <SmallKey key={way} data-way={way} onClick={() => onOpen(way)}>
              <span class="sentence">{i18n.text(`way.${way}`)}</span>
            </SmallKey>
          ))}
          {steps && !wait.seen_by ? (
            <SmallKey data-step="ack" disabled={commands === null} onClick={() => void seen()}>
              {i18n.text("ui.ack")}
            </SmallKey>
          ) : (
            wait.ways.length === 0 && (
              <SmallKey data-step="ask" onClick={() => onOpen(RESOLVES)}>
                {i18n.text(steps ? "ui.resolve_dots" : "ui.open_table")}
              </SmallKey>
            )
          )}
        </div>
      )}
    </Card>
  );
}

/** The answer to an alert that stops nothing: resolved, for a reason. */
const RESOLVES = "resolve";

/** Who has acknowledged an alert, and after how long. */
function Seen({ wait: { seen_by, seen_utc_us, since_utc_us } }: Pick<OtherProps, "wait">) {
  const i18n = useI18n();
  return (
    <small>
      {i18n.text("ui.seen_by", { by: seen_by })}
      {seen_utc_us > 0 && ` · ${i18n.text("ui.answered_in", { time: clockOf(seen_utc_us - since_utc_us) })}`}
    </small>
  );
}

/** The way to a table whose alerts are answered at its own controller. */
function OwnController({ table }: { table: PitTable }) {
  const i18n = useI18n();
  return (
    <Link to={addressOf("tables")} go={table.go} class="key-small" name="alert-table">
      {i18n.text("ui.open_table")}
    </Link>
  );
}

/** Whether a thing is open, whether the address asks for it, and what a press on its name does. */
interface Frame {
  open: boolean;
  wanted: boolean;
  /** Undefined where nothing can be opened. */
  onOpen: (() => void) | undefined;
  /** On the floor whose it is, before its name. */
  of: string;
  /** The answer that was pressed before the page went to its table, "" for none. */
  way: string;
}

interface CardProps {
  frame: Frame;
  look: string;
  title: Words;
  /** What tests and addresses find it by. */
  name: Record<string, string | number>;
  since: number;
  glyph?: string;
  times?: number;
  children?: ComponentChildren;
}

/** Its name is the key that opens it; what the address names is brought into sight, and has the focus if none has. */
function Card({
  frame: { open, wanted, onOpen, of },
  look,
  title,
  name,
  since,
  glyph = "!",
  times = 1,
  children,
}: CardProps) {
  const i18n = useI18n();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!wanted) return;
    place.current?.scrollIntoView({ block: "nearest" });
    if (document.activeElement === document.body)
      place.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [wanted]);
  return (
    <article
      ref={place}
      class={`grid gap-8 ground-1 edge round-12 alert ${look}${wanted ? " wanted" : ""}`}
      {...name}
    >
      <header class="flex">
        <i class="upright" aria-hidden="true">
          {glyph}
        </i>
        <button
          type="button"
          class="alert-name press weight-700"
          aria-expanded={open}
          disabled={onOpen === undefined}
          onClick={onOpen}
        >
          {of}
          {times > 1 && `${i18n.number(times)} × `}
          {i18n.say(title)}
        </button>
        {since > 0 && <Age since={since} />}
      </header>
      {children}
    </article>
  );
}

interface QuestionProps extends Pick<Waiting, "alert"> {
  doubt: DoubtRow;
  table: PitTable;
  frame: Frame;
}

/** A card that a camera reads in two ways. */
function Question({ doubt, alert, table, frame }: QuestionProps) {
  const since = alert?.since_utc_us ?? 0;
  return (
    <Card
      frame={frame}
      look="critical"
      title={doubt.text}
      name={{ "data-question": doubt.doubt }}
      since={since}
    >
      {(frame.open || frame.of) &&
        (table.played ? <OwnController table={table} /> : <Answers doubt={doubt} table={table} />)}
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
      since={hold.since_utc_us}
    >
      <Sentence text={hold.text} money={alert?.money ?? null} />
      {frame.open && (
        <>
          {hold.rule_text && <p class="quiet">{i18n.say(hold.rule_text)}</p>}
          <Before round={hold.round} at={hold.since_utc_us} />
          {alert?.held && <Proof held={alert.held} />}
        </>
      )}
      {/* On the floor every alert is answered where it stands; on the table's page the open one. */}
      {(frame.open || frame.of) &&
        (table.played ? (
          <OwnController table={table} />
        ) : (
          <>
            {doubt && <Answers doubt={doubt} table={table} />}
            <Ways hold={hold} table={table} pressed={frame.way} />
          </>
        ))}
    </Card>
  );
}

/** What is wrong, and the money at stake at its end. */
function Sentence({ text, money }: { text: Words; money: string | null }) {
  const i18n = useI18n();
  return (
    <p class="stake">
      {i18n.say(text)} {money && <b>{i18n.text("ui.alert_money", { amount: { money } })}</b>}
    </p>
  );
}

/** The ways out that the house allows, and below them what the chosen one changes and who signs. */
function Ways({ hold, table, pressed }: { hold: HoldRow; table: PitTable; pressed: string }) {
  const i18n = useI18n();
  const { view, off, open, go } = table;
  const ruling = table.ruling?.alert === holdKey(hold) ? table.ruling : null;
  const lost = view.devices.filter((device) => device.state === "lost").map((device) => device.name);
  const resume = (): void => void table.commands.run("RESUME", [{ do: "resume", without: lost }]);
  // An entry that is wrong is found on the felt; every other way is whole in its stop.
  const take = (way: Way): void =>
    open(wayDialog(view, hold, way), way === "amend" ? undefined : { alert: holdKey(hold), way });
  const asked = off ? undefined : hold.ways.find((way) => way === pressed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what was pressed; the address forgets it.
  useEffect(() => {
    if (!asked) return;
    take(asked);
    go(addressOf("floor", "", { alert: String(hold.since_utc_us) }), true);
  }, [asked]);
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
      <WayKeys
        hold={hold}
        view={view}
        off={off}
        chosen={ruling?.way ?? ""}
        onWay={(way) => (ruling?.way === way ? open(null) : take(way))}
      >
        {hold.ways.length === 0 && (
          <SmallKey data-key="RESUME" disabled={off} onClick={resume}>
            {i18n.text("key.RESUME")}
          </SmallKey>
        )}
      </WayKeys>
      {ruling?.form}
    </>
  );
}

/** An alert that stops nothing: open, seen, resolved with a reason. */
function Alert({ alert, table, frame }: { alert: AlertRow; table: PitTable; frame: Frame }) {
  const i18n = useI18n();
  const { view, off, commands, go } = table;
  const [asks, setAsks] = useState(frame.way === RESOLVES);
  const seen = useShift()
    .tiles.find((tile) => tile.table === view.table)
    ?.waits.find((wait) => wait.seen_by && alert.alerts.includes(wait.number));
  const [reason, setReason] = useState<AlertReason | null>(null);
  const step = (name: "ack" | "resolve", note = ""): void =>
    void commands.run("ALERT", stepsOf(alert, name, note));
  return (
    <Card
      frame={frame}
      look={`${alert.severity} ${alert.status}`}
      title={alert.text}
      name={{ "data-alert": alert.alert }}
      since={alert.since_utc_us}
      glyph={alert.severity === "info" ? "i" : "!"}
    >
      {(frame.open || !frame.of) && <p class="quiet">{alertFacts(alert, i18n, false).join(" · ")}</p>}
      {frame.open && <Before round={alert.round} at={alert.since_utc_us} />}
      {frame.open && alert.held && <Proof held={alert.held} />}
      {asks && <Reasons reasons={ALERT_REASONS} chosen={reason} onChoose={setReason} />}
      <footer>
        {seen && <Seen wait={seen} />}
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
        {table.played && frame.open && <OwnController table={table} />}
        {!table.played && alert.status === "open" && (
          <SmallKey data-step="ack" disabled={off} onClick={() => step("ack")}>
            {i18n.text("ui.ack")}
          </SmallKey>
        )}
        {table.played ? null : asks ? (
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
