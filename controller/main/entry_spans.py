"""A span of each entry of an open table, for OpenTelemetry: when it was written, and how long it took.

It has the entry's number, kind and device or role, never what the entry says: no card stands in a span.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

from controller.config import TableConfig
from controller.domain.errors import ConfigError
from controller.runtime.door.items import Batch, CommitResult
from controller.runtime.ledger import Ledger

SCOPE: Final = "stand17"
TIMEOUT_S: Final = 2
"""For a collector that is away: what was meant for it is dropped then."""

MS_NS: Final = 1_000_000
US_NS: Final = 1000

Finished = Callable[[Batch, CommitResult, Ledger], None]
"""See `controller.runtime.door.journal_writer.Listeners`."""


def with_spans(config: TableConfig, finished: Finished) -> Finished:
    """Count what is written with `finished`, and where `[telemetry]` is configured send a span of it, too.

    Raises `ConfigError` TELEMETRY_MISSING where the packages for it are not there.
    """
    if config.telemetry is None:
        return finished
    if find_spec("opentelemetry.sdk") is None:
        raise ConfigError("TELEMETRY_MISSING")
    tracer = _tracer(config.telemetry.endpoint, config.table.name)

    def both(batch: Batch, written: CommitResult, before: Ledger) -> None:
        finished(batch, written, before)
        if written.last_seq is None:
            return
        proposals, began_ns = batch.draft.proposals, batch.draft.at_utc_us * US_NS
        for seq, one in enumerate(proposals, written.last_seq + 1 - len(proposals)):
            named = {"stand17.seq": seq, "stand17.kind": one.entry.kind, "stand17.by": _by(one.entry.actor)}
            span = tracer.start_span(one.entry.kind, start_time=began_ns, attributes=named)
            span.end(began_ns + max(written.took_ms, 0) * MS_NS)

    return both


def _by(actor: str) -> str:
    """Which device, else the role alone: people are named nowhere but in the journal."""
    return actor if actor.startswith("device:") else actor.partition(":")[0]


def _tracer(endpoint: str, table: str) -> Any:
    """What sends spans from a thread of its own, and drops what it cannot send; its end is the process's."""
    # Not above: a table without [telemetry] needs none of it.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - see above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - see above

    provider = TracerProvider(resource=Resource({"service.name": SCOPE, "stand17.table": table}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=TIMEOUT_S)))
    return provider.get_tracer(SCOPE)
