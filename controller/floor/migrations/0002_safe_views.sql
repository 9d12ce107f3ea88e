-- Views that no entry can make fail. A table writes what it likes into its own journal: a value that does not
-- have its form is NULL, and a sum with such a value is NULL. Later views read entries through these functions.

CREATE FUNCTION archive.moment(at_utc_us bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN at_utc_us >= 0 AND at_utc_us < 6324480000000000 THEN to_timestamp(at_utc_us / 1e6) END
$$;
COMMENT ON FUNCTION archive.moment IS 'The time of an entry; NULL before 1970 and after 73,200 days, as no clock of a table is there';

CREATE FUNCTION archive.whole(value jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_typeof(value) = 'number' THEN
        CASE WHEN trunc(value::numeric) = value::numeric AND abs(value::numeric) <= 9223372036854775807
            THEN value::numeric::bigint END
    END
$$;
COMMENT ON FUNCTION archive.whole IS 'A whole number of 64 bits; NULL for every other value';

CREATE FUNCTION archive.items(value jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_array_elements(CASE WHEN jsonb_typeof(value) = 'array' THEN value ELSE '[]' END)
$$;
COMMENT ON FUNCTION archive.items IS 'The items of an array; none of any other value';

CREATE FUNCTION archive.sum_of(records jsonb, field text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) = count(archive.whole(record -> field)) THEN sum(archive.whole(record -> field)) END
    FROM archive.items(records) AS record
$$;
COMMENT ON FUNCTION archive.sum_of IS 'The sum of one field of all records; NULL where a record has no whole number there';

CREATE OR REPLACE VIEW archive.table_day AS
SELECT j.day, o.body ->> 'table' AS "table", j.name AS journal, j.seq AS entries, o.at AS began, l.at AS last,
    (SELECT max(h.seq) FROM archive.head AS h WHERE h.journal = j.id) AS signed
FROM archive.journal AS j
LEFT JOIN LATERAL (
    SELECT archive.parsed(body) AS body, archive.moment(at_utc_us) AS at
    FROM archive.entry AS e WHERE e.day = j.day AND e.journal = j.id AND e.seq = 1
) AS o ON true
LEFT JOIN LATERAL (
    SELECT archive.moment(at_utc_us) AS at
    FROM archive.entry AS e WHERE e.day = j.day AND e.journal = j.id AND e.seq = j.seq
) AS l ON true;

CREATE OR REPLACE VIEW archive.round AS
SELECT d.day, d."table", e.round_id AS round, archive.moment(e.at_utc_us) AS at, b.body ->> 'status' AS status,
    archive.sum_of(b.body -> 'bets', 'staked') AS staked, archive.sum_of(b.body -> 'bets', 'returned') AS returned
FROM archive.table_day AS d
JOIN archive.journal AS j ON j.name = d.journal
JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id AND e.kind = 'settled'
CROSS JOIN LATERAL (SELECT archive.parsed(e.body) AS body) AS b;

CREATE OR REPLACE VIEW archive.stop AS
SELECT d.day, d."table", e.round_id AS round, archive.moment(e.at_utc_us) AS at, archive.decoded(e.kind) AS kind,
    archive.decoded(e.actor) AS by, archive.parsed(e.body) ->> 'code' AS code
FROM archive.table_day AS d
JOIN archive.journal AS j ON j.name = d.journal
JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id
    AND e.kind IN ('held', 'resumed', 'released', 'trouble');

CREATE OR REPLACE VIEW archive.entry_decoded AS
SELECT j.day, j.name AS journal, e.seq, archive.decoded(e.kind) AS kind, e.version, archive.moment(e.at_utc_us) AS at,
    e.round_id AS round, archive.decoded(e.actor) AS actor, e.caused_by, archive.parsed(e.body) AS body, e.hash
FROM archive.journal AS j JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id;

REVOKE EXECUTE ON FUNCTION archive.moment, archive.whole, archive.items, archive.sum_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archive.moment, archive.whole, archive.items, archive.sum_of
TO stand17_archiver, stand17_pit, stand17_auditor;
