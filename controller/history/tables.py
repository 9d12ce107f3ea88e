"""The tables that `History` fills entry by entry, and the views over them.

Times: `us` is the wall clock in microseconds since 1970. `at` is the time of the table in microseconds since
the first entry: it pauses while a clock that was set back catches up, and a reported jump forward is left
out. Durations and rates use `at`. Money is in minor units; NULL is an amount that was not entered. `day`
counts the openings of the table: 0 before the first `table open`. Round numbers are unique in a journal.
`seq` is the last entry that made or changed a row.
"""

from typing import Final

from controller.acts.catalogue import CORRECTION_NAMES, RULING_NAMES
from controller.policy.holds import SHOE_HOLDS

TABLES: Final = """
-- One row per entry, redacted. `round` is the entry's own round, `number` the round that it is about;
-- `late`: they differ. `line` numbers what came to the table's door, as a feed of the journal has it (0:
-- nothing came). `role` and `who` are the actor, `who` the name alone. `dealing` is the dealer at this
-- entry and `shoe` the number of the day's shoe. `what` is a decision's action, an amendment's subject or
-- an order; `state` a status, step or occasion; `name` a slip, device or person; `code` a fault's code, or
-- the codes that a resume lifts. `amount` is a stake, sum or payout.
-- Example: SELECT seq, who, reason FROM entry WHERE number = 12 AND obs = 'void'
CREATE TABLE entry (
  seq INTEGER PRIMARY KEY, line INTEGER NOT NULL, day INTEGER NOT NULL, round INTEGER, number INTEGER,
  late INTEGER NOT NULL, kind TEXT NOT NULL, us INTEGER NOT NULL, at INTEGER NOT NULL, role TEXT NOT NULL,
  who TEXT NOT NULL, dealing TEXT NOT NULL, shoe INTEGER NOT NULL, cause INTEGER,
  obs TEXT, what TEXT, state TEXT, name TEXT, code TEXT, severity TEXT, reason TEXT, second TEXT,
  box INTEGER, seat INTEGER, hand INTEGER, card INTEGER, amount INTEGER);
CREATE INDEX entry_number ON entry (number, seq);
CREATE INDEX entry_kind ON entry (kind, seq);
CREATE INDEX entry_obs ON entry (obs, seq) WHERE obs IS NOT NULL;

-- Every result of a round in its order: `status` is settled, voided, open (a ruling makes it wait again) or
-- disputed; `won` is what the house has won by it alone, 0 unless it is final. `cause` is the entry that
-- led to it.
-- Example: SELECT seq, status, won FROM settlement WHERE round = 12 ORDER BY seq
CREATE TABLE settlement (
  seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, round INTEGER NOT NULL, status TEXT NOT NULL,
  won INTEGER NOT NULL, cause INTEGER);
CREATE INDEX settlement_round ON settlement (round, seq);

-- Each bettor of the newest result. `returned` is what is due, stake included; `paid` what he was handed
-- back as entered last, NULL where nobody has entered it; `how` is entered, confirmed or measured, `by` who
-- entered it. `result` is the outcome of his best part.
-- Example: SELECT box, seat, paid - returned FROM bet WHERE round = 12
CREATE TABLE bet (
  round INTEGER NOT NULL, box INTEGER NOT NULL, seat INTEGER NOT NULL, staked INTEGER NOT NULL,
  returned INTEGER NOT NULL, result TEXT NOT NULL, paid INTEGER, how TEXT, by TEXT,
  PRIMARY KEY (round, box, seat));

-- Each part of a bettor's stake in the newest result: a hand (`kind` main) or the insurance.
-- Example: SELECT outcome, count(*) FROM part GROUP BY outcome
CREATE TABLE part (
  round INTEGER NOT NULL, box INTEGER NOT NULL, seat INTEGER NOT NULL, nth INTEGER NOT NULL,
  hand INTEGER NOT NULL,
  kind TEXT NOT NULL, outcome TEXT NOT NULL, stake INTEGER NOT NULL, returned INTEGER NOT NULL,
  PRIMARY KEY (round, box, seat, nth));

-- Each hand of the newest result as it lay, `box` 0 for the dealer's; `cards` are shown ranks alone ("?" is
-- unread). A hole card that was not turned is not among them.
-- Example: SELECT total FROM hand WHERE round = 12 AND box = 0
CREATE TABLE hand (
  round INTEGER NOT NULL, box INTEGER NOT NULL, hand INTEGER NOT NULL, total INTEGER NOT NULL,
  cards TEXT NOT NULL, blackjack INTEGER NOT NULL, bust INTEGER NOT NULL, PRIMARY KEY (round, box, hand));

-- Each payout that was entered, and each that was computed because nobody entered it (`how` computed).
-- `due` is what was due then.
-- Example: SELECT * FROM payout WHERE round = 12 AND paid <> due ORDER BY seq
CREATE TABLE payout (
  seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, us INTEGER NOT NULL, at INTEGER NOT NULL,
  round INTEGER NOT NULL,
  box INTEGER NOT NULL, seat INTEGER NOT NULL, due INTEGER NOT NULL, paid INTEGER NOT NULL,
  how TEXT NOT NULL, role TEXT NOT NULL, by TEXT NOT NULL);
CREATE INDEX payout_bet ON payout (round, box, seat, seq);

-- Stakes laid before the cards, as entered last; 0 where a stake was taken away.
-- Example: SELECT sum(amount) FROM stake WHERE round = 12
CREATE TABLE stake (
  round INTEGER NOT NULL, box INTEGER NOT NULL, seat INTEGER NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (round, box, seat));

-- Each decision and how long it took after what came before it in the round (`took`, microseconds).
-- Example: SELECT box, avg(took) FROM answer GROUP BY box
CREATE TABLE answer (
  seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, round INTEGER NOT NULL, box INTEGER NOT NULL,
  took INTEGER NOT NULL);

-- Each hold, from `at` until `until` (NULL: it stands). `round` is the round that it is about, `within` the
-- one in which it began. `resumed`: a person let the table go on. `params` tells two holds of one code apart;
-- a hold ends where a newer one is `about` the same.
-- `asks`: it only asks the dealer something, and is no stop of the round.
-- Example: SELECT code, (until - at) / 1e6 FROM stop WHERE day = 1 ORDER BY seq
CREATE TABLE stop (
  seq INTEGER PRIMARY KEY, line INTEGER NOT NULL, day INTEGER NOT NULL, round INTEGER NOT NULL,
  within INTEGER NOT NULL, code TEXT NOT NULL, box INTEGER, card INTEGER, params TEXT NOT NULL,
  about TEXT NOT NULL, us INTEGER NOT NULL, at INTEGER NOT NULL, until_us INTEGER, until INTEGER,
  resumed INTEGER NOT NULL, asks INTEGER NOT NULL);
CREATE INDEX stop_open ON stop (code) WHERE until IS NULL;
CREATE INDEX stop_within ON stop (within);

-- Everything that moved the float, and every count of it. `by` is open, check or close (a count of
-- `amount`), fill, credit, drop (`amount` came to the float, negative where it left), or round (what its
-- result has changed). `expected` is the float after it. `void`: a slip that was taken back later, or the
-- entry that took it back.
-- Example: SELECT by, sum(amount) FROM movement WHERE day = 1 GROUP BY by
CREATE TABLE movement (
  seq INTEGER PRIMARY KEY, line INTEGER NOT NULL, day INTEGER NOT NULL, us INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL, round INTEGER NOT NULL, amount INTEGER NOT NULL, expected INTEGER NOT NULL, slip TEXT,
  void INTEGER NOT NULL);

-- Each person who has acted or dealt in a day, once, whatever role an entry names: `role` is pit where he
-- has acted as that.
-- Example: SELECT role || ':' || name FROM person WHERE day = 1 ORDER BY 1
CREATE TABLE person (
  day INTEGER NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (day, name));

-- Each step of the clock: the wall clock before and after it.
-- Example: SELECT after_us - before_us FROM clock_step
CREATE TABLE clock_step (
  seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, before_us INTEGER NOT NULL, after_us INTEGER NOT NULL);

-- Each closing count of a shoe: the day's `shoe`, and how many cards were missing or too many.
-- Example: SELECT us, missing FROM shoe_count ORDER BY seq DESC LIMIT 1
CREATE TABLE shoe_count (
  seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, shoe INTEGER NOT NULL, us INTEGER NOT NULL,
  missing INTEGER NOT NULL, extra INTEGER NOT NULL);

-- How certain a reader was of each card of a round whose cards all lie open; `p` NULL where it does not
-- say. Filled only once the round has ended.
-- Example: SELECT avg(p) FROM certainty WHERE round = 12
CREATE TABLE certainty (seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, round INTEGER NOT NULL, p REAL);

-- Cards as they lie at the end of a round, and what lies there in all; only where the engine was asked, as
-- for `stand17 table`. A card that was not turned has no rank, suit or certainty. `line` is NULL where a
-- ruling has put another card in the place of the one that was read. `unread` counts cards that came
-- without a rank, `staked` what lies on the layout of a round without a final result.
-- Example: SELECT rank, count(*) FROM card WHERE box = 0 GROUP BY rank
-- Example: SELECT sum(unread), sum(cards) FROM laid
CREATE TABLE card (
  round INTEGER NOT NULL, card INTEGER NOT NULL, box INTEGER NOT NULL, hand INTEGER NOT NULL, rank TEXT,
  suit TEXT, p REAL, by TEXT, line INTEGER, t REAL);
CREATE INDEX card_round ON card (round);
CREATE TABLE laid (
  round INTEGER PRIMARY KEY, boxes INTEGER NOT NULL, hands INTEGER NOT NULL, cards INTEGER NOT NULL,
  unread INTEGER NOT NULL, staked INTEGER NOT NULL);

-- Each round that a bet or card has begun. `day` is the day in which it was dealt last. `dealer` dealt its
-- first card, else entered something in it ("": not known). `began` is its first bet or card, `deal` its
-- first card, `turns` the first decision, `decided` the last, `turned` the first reveal, `pay` the first
-- result, `ended` the cleared table (NULL while it is not cleared), `last` its last entry (all `at`);
-- `began_us`, `pay_us`, `last_us` are wall clock. `status` is open before a result. `staked` and `returned`
-- are of the newest result, `won` is what the house won by it, `win` by what was handed back where that is
-- known; `differs` = won - win. `opened` are the opening stakes of boxes that are not void, `variance` that
-- of the win in squared minor units, `initial` all stakes laid. `accepted`: a person let a wrong payout
-- stand. `by_hand` counts cards that a person entered, `misread` cards that were corrected. `stops` counts
-- holds that stopped it, `rulings` all rulings, `corrected` those that change an entry and are no dealer's
-- undo.
-- Example: SELECT round, dealer, win FROM round WHERE day = 1 AND status = 'settled'
CREATE TABLE round (
  round INTEGER PRIMARY KEY, day INTEGER NOT NULL, shoe INTEGER NOT NULL, dealer TEXT NOT NULL,
  first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, began_us INTEGER NOT NULL, pay_us INTEGER,
  last_us INTEGER NOT NULL, began INTEGER NOT NULL, deal INTEGER, turns INTEGER, decided INTEGER,
  turned INTEGER, pay INTEGER, ended INTEGER, last INTEGER NOT NULL,
  status TEXT NOT NULL, staked INTEGER NOT NULL, returned INTEGER NOT NULL,
  won INTEGER NOT NULL, win INTEGER NOT NULL, differs INTEGER NOT NULL, initial INTEGER NOT NULL,
  opened INTEGER NOT NULL, variance REAL NOT NULL, cards INTEGER NOT NULL, by_hand INTEGER NOT NULL,
  misread INTEGER NOT NULL, hands INTEGER NOT NULL, insured INTEGER NOT NULL, accepted INTEGER NOT NULL,
  stops INTEGER NOT NULL, rulings INTEGER NOT NULL, corrected INTEGER NOT NULL, alerts INTEGER NOT NULL,
  refused INTEGER NOT NULL, disputes INTEGER NOT NULL);
CREATE INDEX round_day ON round (day, round);
"""

_VARIANCE: Final = 1.33
"""Of what one box wins, in squared opening stakes: 24,000 rounds of the engine with basic strategy gave
1.32 to 1.34 for two houses."""
_COVARIANCE: Final = 0.51
"""Of two boxes of one round, which meet the same dealer; measured in the same rounds."""

_RULED: Final = str(tuple(sorted(RULING_NAMES)))
"""As a list of SQL: `('amend', 'correct', …)`."""
_CORRECTED: Final = str(tuple(sorted(CORRECTION_NAMES)))

_LAID: Final = """stake WHERE round = :round AND (own.voids = 0 OR box NOT IN
      (SELECT box FROM entry WHERE number = :round AND +obs = 'void' AND box IS NOT NULL))"""
"""The stakes of boxes that are not void."""

ROUND: Final = f"""
INSERT OR REPLACE INTO round
WITH own AS (SELECT max(day) FILTER (WHERE late = 0) AS day, max(seq) FILTER (WHERE late = 0) AS last_seq,
    max(us) FILTER (WHERE late = 0) AS last_us, max(at) FILTER (WHERE late = 0 AND kind = 'fact') AS last,
    min(seq) FILTER (WHERE late = 0 AND obs IN ('bet', 'card')) AS first_seq,
    min(seq) FILTER (WHERE late = 0 AND obs = 'card') AS deal_seq,
    min(seq) FILTER (WHERE late = 0 AND role = 'dealer' AND who <> '') AS dealer_seq,
    min(at) FILTER (WHERE late = 0 AND obs IN ('decision', 'insurance_closed', 'peek')) AS turns,
    max(at) FILTER (WHERE late = 0 AND obs = 'decision') AS decided,
    min(at) FILTER (WHERE late = 0 AND obs = 'reveal') AS turned,
    max(at) FILTER (WHERE late = 0 AND obs = 'end') AS cleared,
    count(*) FILTER (WHERE late = 0 AND obs = 'card') AS cards,
    count(*) FILTER (WHERE late = 0 AND obs = 'card'
      AND role NOT IN ('device', 'shoe', 'camera', 'chips')) AS by_hand,
    count(*) FILTER (WHERE obs = 'correct' AND role <> 'dealer') AS misread,
    max(CASE WHEN obs = 'insurance' AND amount > 0 THEN 1 ELSE 0 END) AS insured,
    max(CASE WHEN (kind = 'resumed' OR obs = 'resume') AND code LIKE '%WRONG_PAYOUT%' THEN 1 ELSE 0 END)
      AS accepted,
    count(*) FILTER (WHERE obs = 'void') AS voids, count(*) FILTER (WHERE obs IN {_RULED}) AS rulings,
    count(*) FILTER (WHERE obs IN {_CORRECTED} AND NOT (role = 'dealer' AND obs IN ('amend', 'correct')))
      AS corrected,
    count(*) FILTER (WHERE kind IN ('alert', 'trouble')) AS alerts,
    count(*) FILTER (WHERE kind = 'refused') AS refused,
    count(*) FILTER (WHERE kind = 'disputed') AS disputes
    FROM entry WHERE number = :round),
  sums AS (SELECT own.*, (SELECT min(seq) FROM settlement WHERE round = :round) AS result_seq,
    (SELECT max(seq) FROM settlement WHERE round = :round) AS now_seq,
    (SELECT coalesce(sum(staked), 0) FROM bet WHERE round = :round) AS staked,
    (SELECT coalesce(sum(returned), 0) FROM bet WHERE round = :round) AS returned,
    (SELECT coalesce(sum(paid - returned), 0) FROM bet WHERE round = :round) AS differs,
    (SELECT coalesce(sum(amount), 0) FROM {_LAID}) AS opened,
    (SELECT coalesce(sum(laid * laid), 0) FROM (SELECT sum(amount) AS laid FROM {_LAID} GROUP BY box))
      AS squares FROM own)
SELECT :round, sums.day, first.shoe,
  coalesce(nullif((SELECT dealing FROM entry WHERE seq = sums.deal_seq), ''),
    (SELECT who FROM entry WHERE seq = sums.dealer_seq), ''),
  sums.first_seq, sums.last_seq, first.us, (SELECT us FROM entry WHERE seq = sums.result_seq), sums.last_us,
  first.at, (SELECT at FROM entry WHERE seq = sums.deal_seq), sums.turns, sums.decided, sums.turned,
  (SELECT at FROM entry WHERE seq = sums.result_seq),
  coalesce(sums.cleared, (SELECT at FROM entry WHERE number = :round + 1 AND late = 0
    AND obs IN ('bet', 'card') ORDER BY seq LIMIT 1)),
  sums.last, coalesce(now.status, 'open'), sums.staked, sums.returned, coalesce(now.won, 0),
  CASE WHEN now.status IN ('settled', 'voided') THEN sums.staked - sums.returned - sums.differs ELSE 0 END,
  CASE WHEN now.status IN ('settled', 'voided') THEN sums.differs ELSE 0 END,
  (SELECT coalesce(sum(amount), 0) FROM stake WHERE round = :round), sums.opened,
  {_VARIANCE} * sums.squares + {_COVARIANCE} * (sums.opened * sums.opened - sums.squares),
  sums.cards, sums.by_hand, sums.misread, (SELECT count(*) FROM hand WHERE round = :round AND box > 0),
  sums.insured, sums.accepted, (SELECT count(*) FROM stop WHERE within = :round AND asks = 0),
  sums.rulings, sums.corrected, sums.alerts, sums.refused, sums.disputes
FROM sums JOIN entry first ON first.seq = sums.first_seq LEFT JOIN settlement now ON now.seq = sums.now_seq
"""
"""Computes the row of one round again; run for each round that a batch of entries is about.

No part of it is a table that SQLite has to write down first: that would take four times as long as the rest.
"""

_SHOE_HOLDS: Final = ", ".join(f"'{code}'" for code in sorted(SHOE_HOLDS))

VIEWS: Final = f"""
-- Rulings, and resumes of holds. `settled`: the round had a final result before it. Then `won_before` and
-- `won_after` are what the house won by the settlements before and after it (`won_after` NULL where the
-- round waits again); else both are NULL: no money moved. `undo`: a dealer took his own last entry back.
-- Example: SELECT by, what, won_after - won_before FROM ruling WHERE day = 1 AND settled
CREATE VIEW ruling AS
WITH made AS (SELECT e.*, coalesce(e.number, 0) AS about,
    (SELECT max(s.seq) FROM settlement s WHERE s.round = e.number AND s.seq < e.seq) AS earlier,
    (SELECT max(s.seq) FROM settlement s WHERE s.round = e.number AND s.cause = e.seq) AS caused
  FROM entry e WHERE e.kind = 'fact'
    AND (e.obs IN {_RULED} OR e.obs = 'resume'))
SELECT m.seq, m.day, m.us, m.at, m.about AS round, CASE WHEN m.obs = 'amend' THEN m.obs || ' ' || m.what
    ELSE m.obs END AS what,
  m.role, m.who AS by, m.second, coalesce(m.reason, '') AS reason,
  CASE WHEN b.status IN ('settled', 'voided') THEN 1 ELSE 0 END AS settled,
  CASE WHEN b.status IN ('settled', 'voided') THEN b.won END AS won_before,
  CASE WHEN b.status NOT IN ('settled', 'voided') THEN NULL
    WHEN m.caused IS NULL THEN b.won
    ELSE (SELECT a.won FROM settlement a WHERE a.round = m.number AND a.seq >= m.caused
      AND a.status IN ('settled', 'voided') AND a.seq < coalesce((SELECT min(n.seq) FROM entry n
        WHERE n.number = m.number AND n.seq > m.seq AND n.kind = 'fact'
        AND n.obs IN {_RULED}), a.seq + 1)
      ORDER BY a.seq LIMIT 1)
  END AS won_after,
  CASE WHEN m.role = 'dealer' AND m.obs IN ('amend', 'correct') THEN 1 ELSE 0 END AS undo
FROM made m LEFT JOIN settlement b ON b.seq = m.earlier;

-- Holds at a table in shadow, which notes them and goes on: `was_right` is right (people put something
-- right there, or paid otherwise than settled), wrong (the dealer paid what the table settled) or open
-- (nothing says which).
-- Example: SELECT was_right, count(*) FROM shadow WHERE day = 1 GROUP BY was_right
CREATE VIEW shadow AS
SELECT s.seq, s.day, s.round, s.code, CASE
  WHEN s.code IN ({_SHOE_HOLDS}) THEN CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.day = s.day
    AND e.at >= s.at AND e.kind = 'fact' AND e.obs IN ('shoe_void', 'shoe_end')) THEN 'right' ELSE 'open' END
  WHEN EXISTS (SELECT 1 FROM entry e WHERE e.number = s.round AND e.at >= s.at AND e.kind = 'fact'
    AND e.obs IN {_RULED}) THEN 'right'
  WHEN EXISTS (SELECT 1 FROM bet b WHERE b.round = s.round AND b.paid <> b.returned) THEN 'right'
  WHEN r.status = 'settled' AND EXISTS (SELECT 1 FROM bet b WHERE b.round = s.round) AND NOT EXISTS
    (SELECT 1 FROM bet b WHERE b.round = s.round AND b.returned > 0 AND b.paid IS NULL) THEN 'wrong'
  ELSE 'open' END AS was_right
FROM stop s LEFT JOIN round r ON r.round = s.round;

-- The parts of each round in their order (`nth`): bets, deal, turns, dealer, pay; together they are the
-- whole round. `waits` is beside them: how long at least one hold of the round stood. A part of 0 is left
-- out.
-- Example: SELECT name, avg(took) / 1e6 FROM phase GROUP BY name
CREATE VIEW phase AS
WITH cut AS (
    SELECT round, 1 AS nth, 'bets' AS name, began AS at, coalesce(ended, last) AS until, pay FROM round
    UNION ALL SELECT round, 2, 'deal', deal, coalesce(ended, last), pay FROM round
    UNION ALL SELECT round, 3, 'turns', turns, coalesce(ended, last), pay FROM round
    UNION ALL SELECT round, 4, 'dealer', coalesce(turned, CASE WHEN pay IS NOT NULL THEN decided END),
      coalesce(ended, last), pay FROM round
    UNION ALL SELECT round, 5, 'pay', pay, coalesce(ended, last), pay FROM round),
  began AS (SELECT round, nth, name, until, max(CASE WHEN pay < at THEN pay ELSE at END)
      OVER (PARTITION BY round ORDER BY nth) AS at FROM cut WHERE at IS NOT NULL),
  spent AS (SELECT round, nth, name, lead(at, 1, until) OVER (PARTITION BY round ORDER BY nth) - at AS took
  FROM began),
  held AS (SELECT s.within AS round, s.at,
    coalesce(s.until, CASE WHEN r.last > s.at THEN r.last ELSE s.at END) AS until
    FROM stop s JOIN round r ON r.round = s.within),
  wait AS (SELECT round, at, until, max(until) OVER (PARTITION BY round ORDER BY at, until
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM held)
SELECT round, nth, name, took FROM spent WHERE took > 0
UNION ALL SELECT round, 6, 'waits', took FROM (SELECT round, sum(CASE WHEN before IS NULL OR before <= at
    THEN until - at WHEN until > before THEN until - before ELSE 0 END) AS took FROM wait
    GROUP BY round) AS waited WHERE took > 0;

-- Payouts that are or were not what is due now. `due` and `paid` (as entered first, at `us`) are beside the
-- stake; `remains` is what the bettor has too much now, `by` who entered it last; `open`: nobody has
-- accepted it.
-- Example: SELECT sum(remains) FROM difference WHERE day = 1
CREATE VIEW difference AS
WITH entered AS (SELECT round, box, seat, min(seq) AS first_seq, max(seq) AS last_seq FROM payout
    WHERE how <> 'computed' GROUP BY round, box, seat)
SELECT r.day, e.round, e.box, e.seat, f.us, f.at, coalesce(b.staked, 0) AS staked,
  coalesce(b.returned - b.staked, 0) AS due, f.paid - coalesce(b.staked, 0) AS paid,
  l.paid - coalesce(b.returned, 0) AS remains, l.role, l.by, r.dealer,
  CASE WHEN l.paid <> coalesce(b.returned, 0) AND r.accepted = 0 THEN 1 ELSE 0 END AS open
FROM entered e JOIN round r ON r.round = e.round JOIN payout f ON f.seq = e.first_seq
  JOIN payout l ON l.seq = e.last_seq
  LEFT JOIN bet b ON b.round = e.round AND b.box = e.box AND b.seat = e.seat
WHERE r.status IN ('settled', 'voided') AND EXISTS (SELECT 1 FROM payout p WHERE p.round = e.round
  AND p.box = e.box AND p.seat = e.seat AND p.how <> 'computed' AND p.paid <> coalesce(b.returned, 0));

-- Notices, with the severity of the entry.
-- Example: SELECT code, count(*) FROM alert WHERE day = 1 GROUP BY code
CREATE VIEW alert AS SELECT seq, day, us, at, number AS round, code, severity, box FROM entry
WHERE kind IN ('alert', 'trouble');

-- Notices, and the pit's messages to the dealer, that nobody has resolved.
-- Example: SELECT code FROM open_alert ORDER BY seq
CREATE VIEW open_alert AS SELECT seq, day, us, at, number AS round, coalesce(code, obs) AS code, box, seat,
  card FROM entry
WHERE (kind IN ('alert', 'trouble') OR obs = 'message') AND seq NOT IN
  (SELECT cause FROM entry WHERE kind = 'alert_step' AND state = 'resolve' AND cause IS NOT NULL);

-- What devices reported of themselves: `state` is live or lost.
-- Example: SELECT name FROM device WHERE state <> 'live'
CREATE VIEW device AS SELECT seq, day, us, at, name, state FROM entry WHERE obs = 'device';

-- A dealer left, and was back `took` microseconds later (NULL: not in this day).
-- Example: SELECT dealer, took / 1e6 FROM pause WHERE day = 1
CREATE VIEW pause AS SELECT seq, day, us, at, name AS dealer,
  CASE WHEN next = 'in' THEN next_at - at END AS took
  FROM (SELECT e.*, lead(state) OVER own AS next, lead(at) OVER own AS next_at FROM entry e
    WHERE obs = 'dealer' WINDOW own AS (PARTITION BY day, name ORDER BY seq)) AS step
  WHERE state = 'out' AND coalesce(next, 'in') <> 'out';

-- The books over all days of the file, one row. `opening` is the first count at opening, with what each
-- later opening found otherwise than was left; `counted` the count at closing after the last opening.
-- Example: SELECT expected, counted - expected FROM books
CREATE VIEW books AS
WITH opens AS (SELECT seq, amount - CASE WHEN lag(seq) OVER (ORDER BY seq) IS NULL THEN 0 ELSE
    (SELECT m.expected FROM movement m WHERE m.seq < o.seq ORDER BY m.seq DESC LIMIT 1) END AS found
    FROM movement o WHERE by = 'open'),
  sums AS (SELECT (SELECT sum(found) FROM opens) AS opening,
    sum(CASE WHEN by = 'fill' AND void < 2 THEN amount * (1 - void) END) AS fills,
    -sum(CASE WHEN by = 'credit' AND void < 2 THEN amount * (1 - void) END) AS credits,
    -sum(CASE WHEN by = 'drop' AND void < 2 THEN amount * (1 - void) END) AS "drop",
    coalesce(sum(CASE WHEN by = 'round' THEN amount END), 0) AS win,
    coalesce((SELECT expected FROM movement ORDER BY seq DESC LIMIT 1), 0) AS expected,
    (SELECT amount FROM movement WHERE by = 'close' AND seq > coalesce((SELECT max(seq) FROM opens), 0)
      ORDER BY seq DESC LIMIT 1) AS counted FROM movement)
SELECT sums.*, CASE WHEN opening IS NOT NULL THEN counted - expected END AS difference FROM sums;

-- Who dealt ("": not known), from the first to the last round; `took` is the time in rounds, for rounds an
-- hour.
-- Example: SELECT dealer, 3600e6 * rounds / took FROM dealer WHERE day = 1
CREATE VIEW dealer AS SELECT day, dealer, min(began) AS since, max(coalesce(ended, last)) AS until,
  min(began_us) AS since_us, max(last_us) AS until_us, count(*) AS rounds,
  sum(coalesce(ended, last) - began) AS took, sum(win) AS win
  FROM round WHERE deal IS NOT NULL OR win <> 0 GROUP BY day, dealer;

-- The sums of each day. `rounds` were begun; `settled`, `voided` and `disputed` count their status now.
-- `staked`, `returned`, `opened` and `variance` are of settled rounds. `win` moved the float, late rulings
-- on an earlier day's round included. `opening` is the first count at opening with what later openings
-- found otherwise; `counted` the count at closing after the last opening. `expected` is the float now,
-- `difference` = counted - expected where an opening was counted. `confirmed` counts payouts of settled
-- rounds that were entered, `unconfirmed` those that are due and were not.
-- Example: SELECT win, "drop", expected FROM shift WHERE day = 1
CREATE VIEW shift AS
SELECT sums.*, CASE WHEN EXISTS (SELECT 1 FROM movement o WHERE o.by = 'open' AND o.seq <= sums.last_seq)
  THEN counted - expected END AS difference FROM (
WITH days AS (SELECT day, min(seq) AS first_seq, max(seq) AS last_seq, min(us) AS from_us, max(us) AS to_us,
    min(at) AS since, max(at) AS until FROM entry GROUP BY day),
  won AS (SELECT day, count(*) AS rounds, count(*) FILTER (WHERE status = 'settled') AS settled,
    count(*) FILTER (WHERE status = 'voided') AS voided,
    count(*) FILTER (WHERE status = 'disputed') AS disputed,
    sum(CASE WHEN status = 'settled' THEN staked ELSE 0 END) AS staked,
    sum(CASE WHEN status = 'settled' THEN returned ELSE 0 END) AS returned,
    sum(CASE WHEN status = 'settled' THEN opened ELSE 0 END) AS opened,
    sum(CASE WHEN status = 'settled' THEN variance ELSE 0 END) AS variance FROM round GROUP BY day),
  moved AS (SELECT day, sum(CASE WHEN by = 'round' THEN amount END) AS win,
    sum(CASE WHEN by = 'fill' AND void < 2 THEN amount * (1 - void) END) AS fills,
    -sum(CASE WHEN by = 'credit' AND void < 2 THEN amount * (1 - void) END) AS credits,
    -sum(CASE WHEN by = 'drop' AND void < 2 THEN amount * (1 - void) END) AS "drop",
    max(CASE WHEN by = 'open' THEN seq END) AS opened_seq FROM movement GROUP BY day),
  opens AS (SELECT day, seq, amount, lag(seq) OVER (PARTITION BY day ORDER BY seq) AS earlier,
    (SELECT m.expected FROM movement m WHERE m.seq < o.seq ORDER BY m.seq DESC LIMIT 1) AS before
    FROM movement o WHERE by = 'open'),
  paid AS (SELECT r.day, count(b.paid) AS confirmed,
    count(*) FILTER (WHERE b.paid IS NULL AND b.returned > 0) AS unconfirmed
    FROM bet b JOIN round r ON r.round = b.round WHERE r.status = 'settled' GROUP BY r.day)
SELECT d.*, coalesce(w.rounds, 0) AS rounds, coalesce(w.settled, 0) AS settled,
  coalesce(w.voided, 0) AS voided, coalesce(w.disputed, 0) AS disputed, coalesce(w.staked, 0) AS staked,
  coalesce(w.returned, 0) AS returned, coalesce(w.opened, 0) AS opened,
  coalesce(w.variance, 0) AS variance, coalesce(m.win, 0) AS win, m.fills, m.credits, m."drop",
  (SELECT sum(CASE WHEN o.earlier IS NULL THEN o.amount ELSE o.amount - o.before END) FROM opens o
    WHERE o.day = d.day) AS opening,
  (SELECT x.expected FROM movement x WHERE x.seq <= d.last_seq ORDER BY x.seq DESC LIMIT 1) AS expected,
  (SELECT c.amount FROM movement c WHERE c.day = d.day AND c.by = 'close'
    AND c.seq > coalesce(m.opened_seq, 0) ORDER BY c.seq DESC LIMIT 1) AS counted,
  coalesce(p.confirmed, 0) AS confirmed, coalesce(p.unconfirmed, 0) AS unconfirmed
FROM days d LEFT JOIN won w ON w.day = d.day LEFT JOIN moved m ON m.day = d.day
  LEFT JOIN paid p ON p.day = d.day) AS sums;
"""
