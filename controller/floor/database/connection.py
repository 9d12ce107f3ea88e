"""The connection to the archive's database, and its schema."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.domain import ConfigError, JournalError
from controller.software import way_to_install

if TYPE_CHECKING:
    # Needs the extra `floor`: an archive from folders works without it.
    import psycopg

MIGRATIONS: Final = tuple(sorted((Path(__file__).parent / "migrations").glob("*.sql")))
"""Each is applied once, in one transaction, in the order of its number."""

LIMITS: Final[dict[str, Any]] = {"connect_timeout": 5, "keepalives_idle": 10, "tcp_user_timeout": 10_000}
"""A server that has gone without a word is away after ten seconds, and everything is asked of it anew."""

_LAY_OUT: Final = """
SELECT pg_advisory_xact_lock(0x73743137);
CREATE SCHEMA IF NOT EXISTS archive;
CREATE TABLE IF NOT EXISTS archive.migration (
    version integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
"""
_VERSION: Final = "SELECT coalesce(max(version), 0) FROM archive.migration"
_IS_THERE: Final = "SELECT to_regclass('archive.migration') IS NOT NULL"


def connected(url: str, role: str) -> "psycopg.Connection":
    """Connect, bring the schema forward where this login may, and have only the rights of `role` then.

    Raises `ConfigError` PSYCOPG_MISSING; as `translated`; `JournalError` DATABASE_TOO_NEW.
    """
    try:
        import psycopg  # noqa: PLC0415 - only where there is a database
    except ImportError as error:
        raise ConfigError("PSYCOPG_MISSING", way=way_to_install("floor")) from error
    with translated():
        connection = psycopg.connect(url, autocommit=True, **LIMITS)
        try:
            _migrate(connection)
            connection.execute(f"SET ROLE {role}".encode())
        except BaseException:
            connection.close()
            raise
    return connection


def _migrate(connection: "psycopg.Connection") -> None:
    if _version(connection) < len(MIGRATIONS):
        with connection.transaction():
            connection.execute(_LAY_OUT.encode())
            # Another program may have been quicker.
            for number in range(_version(connection), len(MIGRATIONS)):
                connection.execute(MIGRATIONS[number].read_bytes())
                row = (number + 1, MIGRATIONS[number].name)
                connection.execute("INSERT INTO archive.migration (version, name) VALUES (%s, %s)", row)
    found = _version(connection)
    if found > len(MIGRATIONS):
        raise JournalError("DATABASE_TOO_NEW", found=found, known=len(MIGRATIONS))


def _version(connection: "psycopg.Connection") -> int:
    if not _one(connection, _IS_THERE):
        return 0
    return int(_one(connection, _VERSION))


def _one(connection: "psycopg.Connection", query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    return None if row is None else row[0]


@contextmanager
def translated() -> Iterator[None]:
    """Translate PostgreSQL's errors to `JournalError` DATABASE_AWAY, or DATABASE_REFUSED with the reason."""
    import psycopg  # noqa: PLC0415 - see `connected`

    try:
        yield
    except psycopg.OperationalError as error:
        raise JournalError("DATABASE_AWAY", reason=_line(error)) from error
    except psycopg.Error as error:
        raise JournalError("DATABASE_REFUSED", reason=_line(error)) from error


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
