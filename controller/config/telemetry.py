"""The section of telemetry: where a span of each entry goes; without it none is made."""

from typing import Annotated

from pydantic import Field

from controller.config.section import Section


class TelemetrySection(Section):
    """`endpoint` is a collector's address for traces, OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`."""

    endpoint: Annotated[str, Field(pattern=r"^https?://[^\s@]+$")]
