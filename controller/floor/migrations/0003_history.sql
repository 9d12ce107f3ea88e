-- The figures of a shift as the table's own pages and reports have them: rows of the history's views
-- (controller/history/tables.py), computed by the archive's program from redacted entries. A row is replaced where
-- a later ruling changes it; entries and heads stay as they are. archive.round stays what it is, as first settled.

CREATE TABLE archive.figure (
    journal integer NOT NULL REFERENCES archive.journal,
    view text NOT NULL,
    nth integer NOT NULL,
    fields jsonb NOT NULL,
    PRIMARY KEY (journal, view, nth)
);
COMMENT ON TABLE archive.figure IS 'One row of a view of the history; no body, no card';

CREATE FUNCTION archive.real_of(value jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_typeof(value) = 'number' THEN
        CASE WHEN abs(value::numeric) < 1e300 THEN value::numeric::double precision END
    END
$$;
COMMENT ON FUNCTION archive.real_of IS 'A number of floating point; NULL for every other value';

CREATE VIEW archive.history_shift AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'day') AS "day", archive.whole(f.fields -> 'first_seq') AS "first_seq",
    archive.whole(f.fields -> 'last_seq') AS "last_seq", archive.whole(f.fields -> 'from_us') AS "from_us",
    archive.whole(f.fields -> 'to_us') AS "to_us", archive.whole(f.fields -> 'since') AS "since",
    archive.whole(f.fields -> 'until') AS "until", archive.whole(f.fields -> 'rounds') AS "rounds",
    archive.whole(f.fields -> 'settled') AS "settled", archive.whole(f.fields -> 'voided') AS "voided",
    archive.whole(f.fields -> 'disputed') AS "disputed", archive.whole(f.fields -> 'staked') AS "staked",
    archive.whole(f.fields -> 'returned') AS "returned", archive.whole(f.fields -> 'opened') AS "opened",
    archive.real_of(f.fields -> 'variance') AS "variance", archive.whole(f.fields -> 'win') AS "win",
    archive.whole(f.fields -> 'fills') AS "fills", archive.whole(f.fields -> 'credits') AS "credits",
    archive.whole(f.fields -> 'drop') AS "drop", archive.whole(f.fields -> 'opening') AS "opening",
    archive.whole(f.fields -> 'expected') AS "expected", archive.whole(f.fields -> 'counted') AS "counted",
    archive.whole(f.fields -> 'confirmed') AS "confirmed", archive.whole(f.fields -> 'unconfirmed') AS "unconfirmed",
    archive.whole(f.fields -> 'difference') AS "difference"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'shift' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_round AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'round') AS "round", archive.whole(f.fields -> 'day') AS "day",
    archive.whole(f.fields -> 'shoe') AS "shoe", f.fields ->> 'dealer' AS "dealer",
    archive.whole(f.fields -> 'first_seq') AS "first_seq", archive.whole(f.fields -> 'last_seq') AS "last_seq",
    archive.whole(f.fields -> 'began_us') AS "began_us", archive.whole(f.fields -> 'pay_us') AS "pay_us",
    archive.whole(f.fields -> 'last_us') AS "last_us", archive.whole(f.fields -> 'began') AS "began",
    archive.whole(f.fields -> 'deal') AS "deal", archive.whole(f.fields -> 'turns') AS "turns",
    archive.whole(f.fields -> 'decided') AS "decided", archive.whole(f.fields -> 'turned') AS "turned",
    archive.whole(f.fields -> 'pay') AS "pay", archive.whole(f.fields -> 'ended') AS "ended",
    archive.whole(f.fields -> 'last') AS "last", f.fields ->> 'status' AS "status",
    archive.whole(f.fields -> 'staked') AS "staked", archive.whole(f.fields -> 'returned') AS "returned",
    archive.whole(f.fields -> 'won') AS "won", archive.whole(f.fields -> 'win') AS "win",
    archive.whole(f.fields -> 'differs') AS "differs", archive.whole(f.fields -> 'initial') AS "initial",
    archive.whole(f.fields -> 'opened') AS "opened", archive.real_of(f.fields -> 'variance') AS "variance",
    archive.whole(f.fields -> 'cards') AS "cards", archive.whole(f.fields -> 'by_hand') AS "by_hand",
    archive.whole(f.fields -> 'misread') AS "misread", archive.whole(f.fields -> 'hands') AS "hands",
    archive.whole(f.fields -> 'insured') AS "insured", archive.whole(f.fields -> 'accepted') AS "accepted",
    archive.whole(f.fields -> 'stops') AS "stops", archive.whole(f.fields -> 'rulings') AS "rulings",
    archive.whole(f.fields -> 'corrected') AS "corrected", archive.whole(f.fields -> 'alerts') AS "alerts",
    archive.whole(f.fields -> 'refused') AS "refused", archive.whole(f.fields -> 'disputes') AS "disputes"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'round' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_dealer AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'day') AS "day", f.fields ->> 'dealer' AS "dealer",
    archive.whole(f.fields -> 'since') AS "since", archive.whole(f.fields -> 'until') AS "until",
    archive.whole(f.fields -> 'since_us') AS "since_us", archive.whole(f.fields -> 'until_us') AS "until_us",
    archive.whole(f.fields -> 'rounds') AS "rounds", archive.whole(f.fields -> 'took') AS "took",
    archive.whole(f.fields -> 'win') AS "win"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'dealer' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_ruling AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'seq') AS "seq", archive.whole(f.fields -> 'day') AS "day",
    archive.whole(f.fields -> 'us') AS "us", archive.whole(f.fields -> 'at') AS "at",
    archive.whole(f.fields -> 'round') AS "round", f.fields ->> 'what' AS "what", f.fields ->> 'role' AS "role",
    f.fields ->> 'by' AS "by", f.fields ->> 'second' AS "second", f.fields ->> 'reason' AS "reason",
    archive.whole(f.fields -> 'settled') AS "settled", archive.whole(f.fields -> 'won_before') AS "won_before",
    archive.whole(f.fields -> 'won_after') AS "won_after", archive.whole(f.fields -> 'undo') AS "undo"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'ruling' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_difference AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'day') AS "day", archive.whole(f.fields -> 'round') AS "round",
    archive.whole(f.fields -> 'box') AS "box", archive.whole(f.fields -> 'seat') AS "seat",
    archive.whole(f.fields -> 'us') AS "us", archive.whole(f.fields -> 'at') AS "at",
    archive.whole(f.fields -> 'staked') AS "staked", archive.whole(f.fields -> 'due') AS "due",
    archive.whole(f.fields -> 'paid') AS "paid", archive.whole(f.fields -> 'remains') AS "remains",
    f.fields ->> 'role' AS "role", f.fields ->> 'by' AS "by", f.fields ->> 'dealer' AS "dealer",
    archive.whole(f.fields -> 'open') AS "open"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'difference' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_alert AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'seq') AS "seq", archive.whole(f.fields -> 'day') AS "day",
    archive.whole(f.fields -> 'us') AS "us", archive.whole(f.fields -> 'at') AS "at",
    archive.whole(f.fields -> 'round') AS "round", f.fields ->> 'code' AS "code",
    f.fields ->> 'severity' AS "severity", archive.whole(f.fields -> 'box') AS "box"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'alert' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_stop AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'seq') AS "seq", archive.whole(f.fields -> 'line') AS "line",
    archive.whole(f.fields -> 'day') AS "day", archive.whole(f.fields -> 'round') AS "round",
    archive.whole(f.fields -> 'within') AS "within", f.fields ->> 'code' AS "code",
    archive.whole(f.fields -> 'box') AS "box", archive.whole(f.fields -> 'card') AS "card",
    archive.whole(f.fields -> 'us') AS "us", archive.whole(f.fields -> 'at') AS "at",
    archive.whole(f.fields -> 'until_us') AS "until_us", archive.whole(f.fields -> 'until') AS "until",
    archive.whole(f.fields -> 'resumed') AS "resumed", archive.whole(f.fields -> 'asks') AS "asks"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'stop' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_movement AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'seq') AS "seq", archive.whole(f.fields -> 'line') AS "line",
    archive.whole(f.fields -> 'day') AS "day", archive.whole(f.fields -> 'us') AS "us",
    archive.whole(f.fields -> 'at') AS "at", f.fields ->> 'by' AS "by",
    archive.whole(f.fields -> 'round') AS "round", archive.whole(f.fields -> 'amount') AS "amount",
    archive.whole(f.fields -> 'expected') AS "expected", f.fields ->> 'slip' AS "slip",
    archive.whole(f.fields -> 'void') AS "void"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'movement' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_phase AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'round') AS "round", archive.whole(f.fields -> 'nth') AS "nth",
    f.fields ->> 'name' AS "name", archive.whole(f.fields -> 'took') AS "took"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'phase' ORDER BY f.journal, f.nth;

CREATE VIEW archive.history_books AS
SELECT d."table", d.journal, d.day AS begun,
    archive.whole(f.fields -> 'opening') AS "opening", archive.whole(f.fields -> 'fills') AS "fills",
    archive.whole(f.fields -> 'credits') AS "credits", archive.whole(f.fields -> 'drop') AS "drop",
    archive.whole(f.fields -> 'win') AS "win", archive.whole(f.fields -> 'expected') AS "expected",
    archive.whole(f.fields -> 'counted') AS "counted", archive.whole(f.fields -> 'difference') AS "difference"
FROM archive.figure AS f JOIN archive.journal AS j ON j.id = f.journal JOIN archive.table_day AS d ON d.journal = j.name
WHERE f.view = 'books' ORDER BY f.journal, f.nth;

REVOKE EXECUTE ON FUNCTION archive.real_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archive.real_of TO stand17_archiver, stand17_pit, stand17_auditor;
GRANT SELECT, INSERT, DELETE ON archive.figure TO stand17_archiver;
GRANT SELECT ON archive.figure TO stand17_auditor;
GRANT SELECT ON
    archive.history_shift,
    archive.history_round,
    archive.history_dealer,
    archive.history_ruling,
    archive.history_difference,
    archive.history_alert,
    archive.history_stop,
    archive.history_movement,
    archive.history_phase,
    archive.history_books
TO stand17_archiver, stand17_pit, stand17_auditor;
