"""Compares cameras' readings with the table: frame observations and the ledger in, reports out.

Several pictures in a row must show the same contradiction before the table is held. Within a round cards are
only added, and the shoe reports each before it is laid. So an older picture never shows a card that the
table lacks, except from before the table was cleared or ruled on.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from controller.ports import Report
from controller.runtime.contradictions import (
    Detection,
    FrameObservation,
    card_in_question,
    contradictions,
    disagreement,
    excuse,
)
from controller.runtime.ledger import Ledger


class VotePolicy(NamedTuple):
    """`votes` pictures in a row count, each taken `settle_ms` after cards were last moved, or later."""

    votes: int
    settle_ms: int


class ContradictionDetector:
    """Stores the contradictions in the last pictures of each camera; used on the table's loop."""

    def __init__(self, policies: Mapping[str, VotePolicy]) -> None:
        """`policies` are those of each camera by its name; other cameras are left out."""
        self._policies = dict(policies)
        self._moved_seq: int | None = None
        self._moved_ns = 0
        self._counted: dict[str, Counter[Detection]] = {}

    def follow(self, ledger: Ledger, mono_ns: int) -> None:
        """Hear of the table after each change, at `mono_ns`.

        Where the table was cleared, or cards were ruled to lie elsewhere, hands need their time to follow:
        pictures from before `mono_ns` plus `settle_ms` say nothing.
        """
        if self._moved_seq is not None and ledger.moved_seq != self._moved_seq:
            self._moved_ns = mono_ns
        self._moved_seq = ledger.moved_seq

    def report(self, seen: FrameObservation, ledger: Ledger) -> Report:
        """Report the contradictions that enough consecutive pictures of one camera have shown.

        Contradictions that a person has checked and resumed from in this round are left out.
        """
        number = ledger.state.book.number
        told = [
            (trouble, card_in_question(detection, seen.detections, ledger.state))
            for detection in self._judge(seen, ledger)
            for trouble in [disagreement(detection, ledger.state)]
            if (number, excuse(trouble.params)) not in ledger.excused
        ]
        troubles, cards = tuple(one for one, _ in told), tuple(card for _, card in told)
        return Report(seen.source, seen.mono_ns, (), troubles, cards=cards)

    def _judge(self, seen: FrameObservation, ledger: Ledger) -> tuple[Detection, ...]:
        policy = self._policies.get(seen.source)
        if policy is None or seen.mono_ns - self._moved_ns < policy.settle_ms * 1_000_000:
            return ()
        before = self._counted.get(seen.source, Counter())
        unknown = contradictions(seen.detections, ledger.state)
        counted = Counter({detection: before[detection] + 1 for detection in unknown})
        self._counted[seen.source] = counted
        return tuple(detection for detection, count in counted.items() if count >= policy.votes)
