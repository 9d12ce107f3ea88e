"""A chip source's events as reports for the table: what it is sure of as amounts, all else as unknown."""

from collections.abc import Callable

from controller.acts.catalogue import ChipReading
from controller.config.inputs import ChipsSection
from controller.devices.inputs.doubts import doubt_of
from controller.devices.presence import PresenceReporter
from controller.domain.rules import RuleSet
from controller.ports import Clock, Report, ReportSink, Trouble
from drivers.lifecycle import DeviceChanged
from drivers.text_line import ChipsSeen


class ChipAdapter:
    """Makes reports of one source's events; remembers which stakes it has reported, and as what."""

    def __init__(self, section: ChipsSection) -> None:
        """Begin without having reported anything."""
        self._name = section.name
        self._certain = section.certain
        self._reported: dict[tuple[int, int], int | None] = {}

    def report(self, seen: ChipsSeen, rules: RuleSet, mono_ns: int) -> Report | None:
        """Report, or None where a stake lies as it was reported. `rules` say which circles there are.

        What the source is not sure of is a reading without an amount, and a warning: somebody counts by eye.
        """
        place = (seen.box, seen.seat)
        if seen.box > rules.boxes or (seen.seat and 0 <= rules.back_bets < seen.seat):
            params = (("name", self._name), ("box", seen.box), ("seat", seen.seat))
            return Report(self._name, mono_ns, (), (Trouble("CHIPS_OUT_OF_PLACE", params, hold=False),))
        amount = seen.amount if seen.p >= self._certain else None
        if seen.kind == "stake":
            if place in self._reported and self._reported[place] == amount:
                return None
            self._reported[place] = amount
        reading = ChipReading(seen.kind, *place, amount, seen.p)
        return Report(self._name, mono_ns, (reading,), () if amount is not None else (self._unsure(seen),))

    def forgotten(self, mono_ns: int) -> Report | None:
        """Tell the table, once the source is gone or silent, that nobody sees these stakes any more."""
        known = [place for place, amount in self._reported.items() if amount is not None]
        self._reported.clear()
        readings = tuple(ChipReading("stake", *place, None) for place in known)
        return Report(self._name, mono_ns, readings) if readings else None

    def _unsure(self, seen: ChipsSeen) -> Trouble:
        return Trouble("CHIPS_UNSURE", (("name", self._name), ("box", seen.box)), hold=False)


class ChipListener:
    """Hears one chip source, live or from a recording, and tells the table what it means."""

    def __init__(
        self, section: ChipsSection, clock: Clock, post: ReportSink, rules: Callable[[], RuleSet]
    ) -> None:
        """`post` is the table's inbox; `rules` are asked for at each event."""
        self._name = section.name
        self._post = post
        self._rules = rules
        self._adapter = ChipAdapter(section)
        required, port = section.required, section.port
        self._presence = PresenceReporter(section.name, clock, post, required=required, port=port)

    def receive(self, event: object, mono_ns: int) -> None:
        """Take an event of the source's driver, of the moment `mono_ns`."""
        match event:
            case ChipsSeen():
                self._post_known(self._adapter.report(event, self._rules(), mono_ns))
            case DeviceChanged(state=state, reason=reason):
                if state != "live":
                    self._post_known(self._adapter.forgotten(mono_ns))
                self._presence.changed(state, reason, mono_ns)
            case _:
                doubt = doubt_of(self._name, event)
                self._post_known(None if doubt is None else Report(self._name, mono_ns, (), (doubt,)))

    def _post_known(self, report: Report | None) -> None:
        if report is not None:
            self._post(report)
