// One round of the day, opened: the felt step by step from its first card, money, corrections, who did what.

import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/context";
import { RoundPictures } from "../pit/round-pictures";
import { at } from "../server/base";
import { useFetched } from "../server/fetched";
import { roundAddress } from "../shared/address";
import { FittedTable } from "../shared/fitted-table";
import { promptOf } from "../shared/prompt-of";
import { SmallKey } from "../shared/small-key";
import type { CorrectionView, RoundSheet } from "../view";
import { Deeds } from "./deeds";
import { Heads } from "./heads";
import { Link } from "./link";
import { MoneyTable } from "./money-table";
import type { PitTable } from "./pit-table";
import { addressOf, type Place } from "./place";
import { Player } from "./player";
import { usePlayed } from "./use-played";

const SAID_MS = 2000;

/** The step that is shown on the felt is the one of the replay and of the marked sentence; it stands in the address. */
export function RoundPage({ table, place }: { table: PitTable; place: Place }) {
  const i18n = useI18n();
  const { view, go } = table;
  const number = Number(place.what);
  const sheet = useFetched<RoundSheet>(`/api/rounds/${number}`, view.seq);
  const box = Number(place.query.get("box")) || null;
  const asked = place.query.get("step");
  const played = usePlayed(number, asked === null ? null : Number(asked), (step) =>
    go(roundAddress(number, { step, ...(box ? { box } : {}) }), true),
  );
  const missing = useMissing(number);
  if (missing) {
    return (
      <main class="page">
        <p class="quiet">{i18n.text("ui.round_missing", { round: number })}</p>
        <Link to={addressOf("rounds")} go={go} class="key-small">
          {i18n.text("ui.page_rounds")}
        </Link>
      </main>
    );
  }
  if (!sheet) return <p class="quiet loading">{i18n.text("ui.loading")}</p>;
  const shown = played.view?.view;
  return (
    <main class="round-page grid low">
      <Head sheet={sheet} table={table} />
      <div class="round-left">
        <div class="felt">
          {shown ? (
            <FittedTable view={shown} prompt={promptOf(shown)} from="pit" selected={box} />
          ) : (
            <p class="quiet loading">{i18n.text(played.failed ? "ui.replay_failed" : "ui.replay_opens")}</p>
          )}
        </div>
        <Player sheet={sheet} played={played} />
        <div class="round-below grid gap-16">
          <Deeds sheet={sheet} played={played} box={box} />
          <RoundPictures number={number} />
        </div>
      </div>
      <div class="round-right">
        <MoneyTable sheet={sheet} box={box} />
        {sheet.corrections.map((correction, index) => (
          <Correction key={correction.seq} correction={correction} number={index + 1} />
        ))}
        <Keys sheet={sheet} table={table} box={box} />
      </div>
    </main>
  );
}

/** Whether the server has no such round: asked once, beside the sheet that is asked for again and again. */
function useMissing(number: number): boolean {
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    setMissing(false);
    void fetch(at(`/api/rounds/${number}`)).then((answer) =>
      setMissing(answer.status === 404 || answer.status === 422),
    );
  }, [number]);
  return missing;
}

function Head({ sheet, table: { view, go } }: { sheet: RoundSheet; table: PitTable }) {
  const i18n = useI18n();
  const { row } = sheet;
  const last = sheet.corrections.at(-1);
  return (
    <header class="page-head across edge-below">
      <Link to={addressOf("rounds")} go={go} name="back" class="key-small">
        ‹ {i18n.text("ui.page_rounds")}
      </Link>
      <h1>{i18n.text("ui.round_number", { round: row.round })}</h1>
      <span class="quiet">
        {view.table} · {i18n.day(row.at_utc_us)} · <b>{i18n.clock(row.at_utc_us, true)}</b>–
        <b>{i18n.clock(sheet.until_utc_us, true)}</b> ·{" "}
        {i18n.text("ui.round_dealer", { dealer: row.dealer || "–" })} ·{" "}
        {i18n.text("ui.round_shoe", { shoe: sheet.shoe })} · {row.code}
      </span>
      <span class="spring" />
      {row.open && <b class="differs">! {i18n.money(row.difference.money)}</b>}
      {last && <b class="ok">✓ {i18n.text("ui.corrected_at", { time: i18n.clock(last.at_utc_us) })}</b>}
      <CopyLink />
      {sheet.previous !== null && (
        <Link to={roundAddress(sheet.previous)} go={go} name="previous" class="key-small">
          ‹ {sheet.previous}
        </Link>
      )}
      {sheet.next !== null && (
        <Link to={roundAddress(sheet.next)} go={go} name="next" class="key-small">
          {sheet.next} ›
        </Link>
      )}
    </header>
  );
}

/** Copies the page's address. */
export function CopyLink() {
  const i18n = useI18n();
  const [done, setDone] = useState(false);
  // A page without TLS has no clipboard of its own: the address bar has it then.
  if (!navigator.clipboard) return null;
  return (
    <SmallKey
      data-key="COPY_LINK"
      onClick={() =>
        void navigator.clipboard.writeText(location.href).then(() => {
          setDone(true);
          setTimeout(() => setDone(false), SAID_MS);
        })
      }
    >
      {i18n.text(done ? "ui.link_copied" : "ui.link_copy")}
    </SmallKey>
  );
}

/** A ruling on the round: its sentence, before and after, why, and who has signed. */
export function Correction({ correction, number }: { correction: CorrectionView; number: number }) {
  const i18n = useI18n();
  const { reason } = correction;
  const said = i18n.value(reason);
  return (
    <section
      class="correction"
      data-correction={correction.seq}
      aria-label={i18n.text("ui.correction", { number })}
    >
      <h2>
        {i18n.text("ui.correction", { number })}
        <span>
          {i18n.text("ui.correction_at", {
            time: i18n.clock(correction.at_utc_us, true),
            record: correction.seq,
          })}
        </span>
      </h2>
      <p>{i18n.say(correction.text)}</p>
      {correction.changes.length === 0 ? (
        <p>{i18n.text("ui.no_money_moved")}</p>
      ) : (
        <table class="ledger-table">
          <Heads heads={["", "ui.correction_before", "ui.correction_after", "ui.correction_change"]} />
          <tbody>
            {correction.changes.map((change) => (
              <tr key={i18n.say(change.text)}>
                <td>{i18n.say(change.text)}</td>
                <td class="amount">
                  {change.before.money === change.after.money ? (
                    i18n.money(change.before.money)
                  ) : (
                    <s>{i18n.money(change.before.money)}</s>
                  )}
                </td>
                <td class="amount after">{i18n.money(change.after.money)}</td>
                <td class="amount">{i18n.money(change.change.money)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet">
        {said !== "" && <>{i18n.text("ui.correction_reason", { reason: said })} </>}
        {correction.second === ""
          ? i18n.text("ui.correction_by", { by: correction.by })
          : i18n.text("ui.correction_by_two", { by: correction.by, second: correction.second })}
      </p>
    </section>
  );
}

function Keys({
  sheet,
  table: { off, open },
  box,
}: {
  sheet: RoundSheet;
  table: PitTable;
  box: number | null;
}) {
  const i18n = useI18n();
  const { round } = sheet.row;
  const where = sheet.money.find((row) => row.differs)?.box ?? box;
  return (
    <footer class="round-keys flex wrap gap-10">
      <SmallKey
        class="key-small main"
        data-key="PUT_RIGHT"
        disabled={off}
        onClick={() => open({ open: "entered", at: where ? { fact: "paid", box: where, round } : { round } })}
      >
        {i18n.text(sheet.corrections.length > 0 ? "ui.correct_again" : "key.CORRECT")}
      </SmallKey>
      <SmallKey data-key="PRINT" onClick={() => print()}>
        {i18n.text("key.PRINT")}
      </SmallKey>
      <a
        class="key-small"
        data-key="CASE"
        href={at(`/api/played/${sheet.row.round}/case`)}
        download={`round_${sheet.row.round}.zip`}
      >
        {i18n.text("ui.save_case")}
      </a>
    </footer>
  );
}
