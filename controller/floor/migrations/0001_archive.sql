-- The archive of many tables' journals: the rows as the tables wrote them, and where each journal ends.
-- What an entry says is looked into by views alone: an unknown kind is stored like any other.

CREATE FUNCTION archive.hash_of(
    prev_hash bytea, seq bigint, kind bytea, version bigint, at_utc_us bigint, round_id bigint, actor bytea,
    caused_by bigint, body bytea
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(
        prev_hash || seq::text::bytea || '\x0a'::bytea || kind || '\x0a'::bytea || version::text::bytea || '\x0a'::bytea
        || at_utc_us::text::bytea || '\x0a'::bytea || coalesce(round_id::text, '-')::bytea || '\x0a'::bytea
        || actor || '\x0a'::bytea || coalesce(caused_by::text, '-')::bytea || '\x0a'::bytea
        || length(body)::text::bytea || '\x0a'::bytea || body
    )
$$;
COMMENT ON FUNCTION archive.hash_of IS 'What the hash of an entry has to be (docs/journal.md, The chain)';

CREATE TABLE archive.journal (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    first bytea NOT NULL UNIQUE CHECK (length(first) = 32),
    name text NOT NULL UNIQUE,
    day date NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);
COMMENT ON TABLE archive.journal IS 'A table''s gaming day: known by its first entry''s hash; seq and hash are its head';
COMMENT ON COLUMN archive.journal.day IS 'On which it was begun, UTC';

-- By gaming day, as that is what is looked up, backed up and one day laid aside.
CREATE TABLE archive.entry (
    day date NOT NULL,
    journal integer NOT NULL REFERENCES archive.journal,
    seq bigint NOT NULL,
    kind bytea NOT NULL,
    version bigint NOT NULL,
    at_utc_us bigint NOT NULL,
    round_id bigint,
    actor bytea NOT NULL,
    caused_by bigint,
    body bytea NOT NULL,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (day, journal, seq),
    CONSTRAINT hash_fits CHECK (
        hash = archive.hash_of(prev_hash, seq, kind, version, at_utc_us, round_id, actor, caused_by, body)
    )
) PARTITION BY RANGE (day);

CREATE TABLE archive.head (
    journal integer NOT NULL REFERENCES archive.journal,
    key text NOT NULL,
    number bigint NOT NULL,
    seq bigint NOT NULL,
    line bytea NOT NULL,
    PRIMARY KEY (journal, key, number)
);
COMMENT ON TABLE archive.head IS 'Signed heads as they stand beside the journal, each with its nonce';

CREATE FUNCTION archive.lay_day(day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS archive.%I PARTITION OF archive.entry FOR VALUES FROM (%L) TO (%L)',
        'entry_' || to_char(day, 'YYYYMMDD'), day, day + 1
    );
END $$;

-- The only way in which anything is changed: a head goes on over rows that follow it, one after the other.
CREATE FUNCTION archive.move_head(moved integer, from_seq bigint, from_hash bytea, to_seq bigint, to_hash bytea)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    their_day date;
    follows boolean;
BEGIN
    UPDATE archive.journal SET seq = to_seq, hash = to_hash
    WHERE id = moved AND seq = from_seq AND hash = from_hash RETURNING day INTO their_day;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another program has moved the head of journal %', moved USING ERRCODE = 'serialization_failure';
    END IF;
    SELECT count(*) = to_seq - from_seq AND bool_and(prev_hash = before AND seq = from_seq + place)
        AND bool_or(seq = to_seq AND hash = to_hash)
    INTO follows FROM (
        SELECT seq, hash, prev_hash, lag(hash, 1, from_hash) OVER (ORDER BY seq) AS before,
            row_number() OVER (ORDER BY seq) AS place
        FROM archive.entry WHERE day = their_day AND journal = moved AND seq > from_seq
    ) AS new;
    IF follows IS NOT TRUE THEN
        RAISE EXCEPTION 'entries of journal % do not follow its head', moved USING ERRCODE = 'integrity_constraint_violation';
    END IF;
END $$;

CREATE FUNCTION archive.parsed(body bytea) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN convert_from(body, 'UTF8')::jsonb;
EXCEPTION WHEN others THEN
    RETURN NULL;
END $$;

CREATE FUNCTION archive.decoded(text bytea) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN convert_from(text, 'UTF8');
EXCEPTION WHEN others THEN
    RETURN encode(text, 'escape');
END $$;

-- What the pit looks at: no body of an entry that is none of the rounds' results.
CREATE VIEW archive.table_day AS
SELECT j.day, o.body ->> 'table' AS "table", j.name AS journal, j.seq AS entries, o.at AS began, l.at AS last,
    (SELECT max(h.seq) FROM archive.head AS h WHERE h.journal = j.id) AS signed
FROM archive.journal AS j
LEFT JOIN LATERAL (
    SELECT archive.parsed(body) AS body, to_timestamp(at_utc_us / 1e6) AS at
    FROM archive.entry AS e WHERE e.day = j.day AND e.journal = j.id AND e.seq = 1
) AS o ON true
LEFT JOIN LATERAL (
    SELECT to_timestamp(at_utc_us / 1e6) AS at
    FROM archive.entry AS e WHERE e.day = j.day AND e.journal = j.id AND e.seq = j.seq
) AS l ON true;

CREATE VIEW archive.round AS
SELECT d.day, d."table", e.round_id AS round, to_timestamp(e.at_utc_us / 1e6) AS at, b.body ->> 'status' AS status,
    (SELECT sum((bet ->> 'staked')::bigint) FROM jsonb_array_elements(b.body -> 'bets') AS bet) AS staked,
    (SELECT sum((bet ->> 'returned')::bigint) FROM jsonb_array_elements(b.body -> 'bets') AS bet) AS returned
FROM archive.table_day AS d
JOIN archive.journal AS j ON j.name = d.journal
JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id AND e.kind = 'settled'
CROSS JOIN LATERAL (SELECT archive.parsed(e.body) AS body) AS b;
COMMENT ON VIEW archive.round IS 'As first settled, in minor units; rulings that came later are entries of their own';

CREATE VIEW archive.stop AS
SELECT d.day, d."table", e.round_id AS round, to_timestamp(e.at_utc_us / 1e6) AS at, archive.decoded(e.kind) AS kind,
    archive.decoded(e.actor) AS by, archive.parsed(e.body) ->> 'code' AS code
FROM archive.table_day AS d
JOIN archive.journal AS j ON j.name = d.journal
JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id
    AND e.kind IN ('held', 'resumed', 'released', 'trouble');

-- What the auditor looks at as well.
CREATE VIEW archive.entry_decoded AS
SELECT j.day, j.name AS journal, e.seq, archive.decoded(e.kind) AS kind, e.version, to_timestamp(e.at_utc_us / 1e6) AS at,
    e.round_id AS round, archive.decoded(e.actor) AS actor, e.caused_by, archive.parsed(e.body) AS body, e.hash
FROM archive.journal AS j JOIN archive.entry AS e ON e.day = j.day AND e.journal = j.id;

CREATE VIEW archive.broken AS
SELECT j.day, j.name AS journal, e.seq FROM archive.journal AS j
CROSS JOIN LATERAL (
    SELECT seq, prev_hash, lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER (ORDER BY seq) AS before,
        row_number() OVER (ORDER BY seq) AS place, hash = archive.hash_of(
            prev_hash, seq, kind, version, at_utc_us, round_id, actor, caused_by, body
        ) AS fits
    FROM archive.entry WHERE day = j.day AND journal = j.id
) AS e
WHERE NOT e.fits OR e.prev_hash <> e.before OR e.seq <> e.place
UNION ALL
SELECT j.day, j.name, j.seq FROM archive.journal AS j WHERE j.seq > 0 AND NOT EXISTS (
    SELECT FROM archive.entry AS e WHERE e.day = j.day AND e.journal = j.id AND e.seq = j.seq AND e.hash = j.hash
);
COMMENT ON VIEW archive.broken IS 'Empty: every entry has its hash and follows the one before, up to the head';

DO $$
DECLARE
    part text;
BEGIN
    FOREACH part IN ARRAY ARRAY['stand17_archiver', 'stand17_pit', 'stand17_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = part) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', part);
        END IF;
        -- Where somebody else has made them, he has granted them, too.
        IF NOT pg_has_role(current_user, part, 'SET') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', part);
        END IF;
    END LOOP;
END $$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA archive FROM PUBLIC;
GRANT USAGE ON SCHEMA archive TO stand17_archiver, stand17_pit, stand17_auditor;
GRANT SELECT ON ALL TABLES IN SCHEMA archive TO stand17_archiver, stand17_auditor;
GRANT INSERT (first, name, day) ON archive.journal TO stand17_archiver;
GRANT INSERT ON archive.entry, archive.head TO stand17_archiver;
GRANT EXECUTE ON FUNCTION archive.hash_of, archive.lay_day, archive.move_head TO stand17_archiver;
GRANT EXECUTE ON FUNCTION archive.hash_of, archive.parsed, archive.decoded TO stand17_auditor;
GRANT EXECUTE ON FUNCTION archive.parsed, archive.decoded TO stand17_archiver, stand17_pit;
GRANT SELECT ON archive.table_day, archive.round, archive.stop TO stand17_pit;
