"""Requests made from the OpenAPI document by schemathesis, as each role: no 5xx, each answer as described.

`python -m tests.limits.openapi_fuzz --examples 300 --seed 17` runs longer than the tests do, and prints how
often each route answered what. It finds the kit of the web's tests with PYTHONPATH=tests/web.
"""

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import one_of
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from web_kit import Served

from controller.people.access import AccessSettings
from controller.people.sign_in import SessionLimits
from controller.web.app import document
from tests import people_kit

CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ONE_OF_EACH: Final = {role: person for person, role in people_kit.PEOPLE}
SIGN_INS: Final = "/api/session"
"""Walked without a cookie: its DELETE would sign out whoever asks, and nothing would be asked after it."""


PATIENT: Final = AccessSettings(SessionLimits(other_idle_s=7200.0))
"""Nobody is signed out within a long walk."""


class Walked:
    """How often each route answered what, and what an answer was that the document does not describe."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str, int]] = Counter()
        self.wrong: dict[str, str] = {}


def walk(served: Served, examples: int, number: int, told: Walked) -> None:
    """Send so many requests to each route, each of them as every role."""
    cookies = [{"Cookie": served.sign_in(person)} for person in ONE_OF_EACH.values()]
    for result in schemathesis.openapi.from_dict(document()).get_all_operations():
        assert isinstance(result, Ok), "the document is sound"
        operation = result.ok()
        roles = [{}] if operation.path == SIGN_INS else cookies
        _send(operation, served.url, roles, examples, number, told)


def _send(
    operation: Any, url: str, roles: list[dict[str, str]], examples: int, number: int, told: Walked
) -> None:
    """Send requests to one route, whole ones and some that leave the schema."""
    # A path and nothing else cannot leave its schema.
    modes = GenerationMode if operation.body or operation.query else [GenerationMode.POSITIVE]
    cases = one_of([operation.as_strategy(generation_mode=mode) for mode in modes])

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        for headers in roles:
            answer = case.call(base_url=url, headers=headers, timeout=60)
            asked = (operation.method.upper(), operation.path, answer.status_code)
            told.answers[asked] += 1
            try:
                case.validate_response(answer, checks=CHECKS)
            except FailureGroup as failed:
                told.wrong.setdefault(f"{asked} {failed.exceptions[0]}", str(failed))

    ask()


def main() -> int:
    """Walk every role with as many requests as told; 0 where each was answered as described."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=17)
    asked = parser.parse_args()
    told = Walked()
    warnings.simplefilter("ignore")
    with (
        tempfile.TemporaryDirectory(prefix="stand17-openapi-") as folder,
        Served(Path(folder), enforced=True, access_settings=PATIENT) as served,
    ):
        walk(served, asked.examples, asked.seed, told)
    for (method, path, status), times in sorted(told.answers.items()):
        sys.stdout.write(f"{method} {path} {status} {times}\n")
    sys.stdout.writelines(f"\n{what}\n{reason}\n" for what, reason in told.wrong.items())
    return 1 if told.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
