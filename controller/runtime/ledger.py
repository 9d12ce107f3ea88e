"""The ledger: everything that follows from the journal's entries, folded one by one.

A million answers to commands have to fit into the memory of a table, and are read back at its start. So the
older answers are packed: a record of fixed length for each, in a bucket that the id's hash names.
"""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from controller.acts.catalogue import CardSeen, Observation
from controller.acts.money import PayoutKnown
from controller.domain import JournalError, RuleSet
from controller.engine import TableState
from controller.irregularities import FaultCode, Irregularity
from controller.journal.entry import Body, Entry, body_of
from controller.people.sign_in import NO_TRIES, TryCount, TryRecord
from controller.policy import House, Person, SecondPerson, TableOptions, TableRun, new_run
from controller.policy.allowed import release_of
from controller.policy.holds import PICTURE_DIFFERS, Hold, ruling_for
from controller.policy.line import KeptCard
from controller.policy.run import waived, with_hold, without_hold
from controller.rules import HOUSES, load_file
from controller.rules.loading import general_profile, rules_named
from controller.runtime.api import (
    AlertView,
    HoldView,
    NameCard,
    OrderView,
    Params,
    PayProgress,
    UnconfirmedPayout,
)
from controller.runtime.contradictions import excuse, unsure

_PROFILE: Final[TypeAdapter[dict[FaultCode, Irregularity]]] = TypeAdapter(dict[FaultCode, Irregularity])
_OPTIONS: Final = TypeAdapter(TableOptions)
_SECOND: Final = TypeAdapter(SecondPerson)

BEFORE_PROFILES: Final = TableOptions(
    stand_on_21=False,
    turn_by_card=False,
    unclear="mark",
    card_gap_ms=0,
    ask_hit_from=0,
    payouts=None,
    shuffle_watch=False,
    float_check=False,
)
"""The options of a table that was opened before houses had any: nothing is asked or closed by itself."""


class Opening(NamedTuple):
    """The content of entry 1: the table and its rules. `key` is that entry's hash, which stays secret.

    `house` contains the profile and the options of the table's policy. `profiled` is False for a journal from
    before profiles: its profile is the shipped one, until a table that goes on in it writes that down
    (`adopted`), and a replay takes its lines by the rules alone.
    `unnamed` are the fields of the rules that entry 1 lacks, because they did not exist then.
    """

    table: str
    rules: RuleSet
    currency: str
    key: bytes
    house: House
    profiled: bool = True
    unnamed: tuple[str, ...] = ()

    def is_under(self, rules: RuleSet) -> bool:
        """Whether the journal was opened under these rules, by the fields that it names."""
        return rules._replace(**{field: getattr(self.rules, field) for field in self.unnamed}) == self.rules

    @property
    def in_shadow(self) -> bool:
        """Whether the table was opened to record its holds and never to wait."""
        return self.house.in_shadow


def opening_of(entry: Entry) -> Opening:
    """Read entry 1."""
    body = body_of(entry)
    rules, unnamed = rules_named(body["rules"])
    profiled = "irregularities" in body
    house = _house_of(body) if profiled else house_before_profiles(rules.name)
    return Opening(body["table"], rules, body["currency"], entry.hash, house, profiled, unnamed)


def dealt_rules(rules: RuleSet, house: House) -> RuleSet:
    """The rules as they are dealt: 21 closes a hand by itself where the house has it so."""
    return rules._replace(hit_on_21=False) if house.options.stand_on_21 else rules


def house_before_profiles(rules: str) -> House:
    """Return the house of a journal without a profile; a general profile for rules of its own."""
    is_shipped = rules in HOUSES
    profile = load_file(rules, Path()).irregularities if is_shipped else general_profile()
    return House(profile, BEFORE_PROFILES)


def _house_of(opened: Body) -> House:
    """The profile and the options that a table was opened with, or that `adopted` names."""
    options = _OPTIONS.validate_python(opened["table_options"])
    second = _SECOND.validate_python(opened.get("second_person", {}))
    return House(_PROFILE.validate_python(opened["irregularities"]), options, second)


NEWEST_MAX: Final = 256
"""Commands that are not packed yet. Each state copies these and shares the buckets."""

_BUCKETS: Final = 4096
"""A command of a million is then looked for in 8 kB, and packing 256 copies 2 MB."""

_ID_BYTES: Final = 16
_SEQ_BYTES: Final = 7
_MEANING_BYTES: Final = 8
_RECORD_BYTES: Final = _ID_BYTES + _SEQ_BYTES + 1 + _MEANING_BYTES
"""Hash of the id · sequence · whether a meaning is known · the meaning."""


class GivenAnswer(NamedTuple):
    """The last entry of a command, and the hash of its meaning; "" in journals without it."""

    seq: int
    meaning: str

    def differs_from(self, meaning: str) -> bool:
        """Whether this was another act; an unknown meaning does not differ."""
        return bool(self.meaning) and bool(meaning) and self.meaning != meaning


class AnsweredCommands(NamedTuple):
    """Every accepted command of a journal; a value.

    `buckets` hold the records of the older ones in the order in which they came; () before there are any.
    """

    newest: tuple[tuple[str, GivenAnswer], ...] = ()
    buckets: tuple[bytes, ...] = ()

    def find(self, command_id: str) -> GivenAnswer | None:
        """Return the answer of a command; None when it was never accepted."""
        for known, answer in reversed(self.newest):
            if known == command_id:
                return answer
        return _packed(self.buckets, command_id) if self.buckets else None

    def with_answer(self, command_id: str, seq: int, meaning: str) -> "AnsweredCommands":
        """Add an accepted command; a command with several entries is answered by the last."""
        newest = self.newest[:-1] if self.newest and self.newest[-1][0] == command_id else self.newest
        newest = (*newest, (command_id, GivenAnswer(seq, meaning)))
        if len(newest) < NEWEST_MAX:
            return self._replace(newest=newest)
        return AnsweredCommands((), _with_records(self.buckets, newest))


NO_ANSWERS: Final = AnsweredCommands()


def _with_records(
    buckets: tuple[bytes, ...], commands: tuple[tuple[str, GivenAnswer], ...]
) -> tuple[bytes, ...]:
    changed = list(buckets or (b"",) * _BUCKETS)
    for command_id, answer in commands:
        name = _hashed(command_id)
        changed[_bucket_of(name)] += name + _record(answer)
    return tuple(changed)


def _packed(buckets: tuple[bytes, ...], command_id: str) -> GivenAnswer | None:
    """Look from the end on: the last answer counts. A hash may also lie across two records."""
    name = _hashed(command_id)
    bucket = buckets[_bucket_of(name)]
    at = bucket.rfind(name)
    while at >= 0 and at % _RECORD_BYTES:
        at = bucket.rfind(name, 0, at + _ID_BYTES - 1)
    return None if at < 0 else _answer_in(bucket[at + _ID_BYTES : at + _RECORD_BYTES])


def _record(answer: GivenAnswer) -> bytes:
    meaning = _meaning_bytes(answer.meaning)
    return (
        answer.seq.to_bytes(_SEQ_BYTES) + bytes((meaning is not None,)) + (meaning or bytes(_MEANING_BYTES))
    )


def _answer_in(record: bytes) -> GivenAnswer:
    is_known = record[_SEQ_BYTES]
    return GivenAnswer(
        int.from_bytes(record[:_SEQ_BYTES]), record[_SEQ_BYTES + 1 :].hex() if is_known else ""
    )


def _meaning_bytes(meaning: str) -> bytes | None:
    """Pack what `decision.proof.meaning_hash` wrote; other words differ from each of its hashes."""
    try:
        packed = bytes.fromhex(meaning)
    except (TypeError, ValueError):
        packed = b""
    if len(packed) == _MEANING_BYTES:
        return packed
    return hashlib.blake2b(str(meaning).encode(), digest_size=_MEANING_BYTES).digest() if meaning else None


def _hashed(command_id: str) -> bytes:
    """Return a collision-resistant hash of sixteen bytes for an id."""
    return hashlib.blake2b(str(command_id).encode(), digest_size=_ID_BYTES).digest()


def _bucket_of(name: bytes) -> int:
    return int.from_bytes(name[:2]) % _BUCKETS


class Waiting(NamedTuple):
    """A device's observation during a hold, other than a card; it reaches the door after the hold."""

    seq: int
    actor: str
    observation: Observation


class UnreadEntries(NamedTuple):
    """Entries that are not on the table: the first cannot be folded, the others follow it."""

    first: int
    last: int


class Ledger(NamedTuple):
    """The state after the entries up to `seq`: the table, and all state beside it.

    `run` is the table of the policy; cards that wait in it are marked with their entry. `fact_seq` is the
    last fact that makes an older decision stale. `moved_seq` is the last entry that moved or changed cards: a
    cleared table, or a ruling. `devices` are the last journalled states since the process started. `excused`
    are the camera's contradictions, by round, that a person has checked and resumed from. `answered` are the
    accepted commands with their last entry, `orders` the last order to each device. `unread` are the entries
    that cannot be folded until the table is held in front of them (see `unread`). `unturned` are the rounds
    with a card that was dealt face down and never turned, or moved by a ruling: its reading stays hidden for
    good. `withheld` are the alerts that only such a card explains: they stay in the journal, for
    surveillance. `decks` is the deck profile (SHA-256) of each camera since the process started.
    `unconfirmed` are the unconfirmed payouts; `booked` is the amount due when each payout of the round was
    entered, as (round, box, seat, amount); `known` is the source of each, likewise. `tries` are wrong PINs
    and the places of sign-ins, `people_noted` is the last change of the people's file, `dealer` the present
    dealer's id, "" without one.
    """

    seq: int
    opening: Opening
    run: TableRun
    fact_seq: int = 0
    moved_seq: int = 0
    pay: PayProgress = PayProgress(0, ())
    alerts: tuple[AlertView, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    excused: tuple[tuple[int, Params], ...] = ()
    answered: AnsweredCommands = NO_ANSWERS
    orders: tuple[tuple[str, OrderView], ...] = ()
    unturned: frozenset[int] = frozenset()
    withheld: frozenset[int] = frozenset()
    unconfirmed: tuple[UnconfirmedPayout, ...] = ()
    booked: tuple[tuple[int, int, int, int], ...] = ()
    known: tuple[tuple[int, int, int, PayoutKnown], ...] = ()
    unread: UnreadEntries | None = None
    decks: tuple[tuple[str, str], ...] = ()
    at_utc_us: int = 0
    """When the last entry was decided; 0 where that is not known."""
    tries: TryRecord = NO_TRIES
    people_noted: int = 0
    dealer: str = ""

    @property
    def state(self) -> TableState:
        """The engine's state."""
        return self.run.state

    @property
    def holds(self) -> tuple[Hold, ...]:
        """Why the table waits, the newest last."""
        return self.run.holds

    @property
    def waiting_count(self) -> int:
        """The number of observations that wait for the end of the hold."""
        return len(self.run.kept) + len(self.waiting)


def with_devices(ledger: Ledger, devices: tuple[tuple[str, str], ...]) -> Ledger:
    """The ledger with the last journalled state of each device."""
    lost = tuple([name for name, presence in devices if presence == "lost"])
    return ledger._replace(devices=devices, run=replace(ledger.run, lost=lost))


def with_waiting(ledger: Ledger, arrived: Waiting) -> Ledger:
    """The ledger with one more observation that waits; a card waits at the table itself."""
    if not isinstance(arrived.observation, CardSeen):
        return ledger._replace(waiting=(*ledger.waiting, arrived))
    kept = KeptCard(arrived.observation, Person("shoe", arrived.actor), arrived.seq)
    return ledger._replace(run=replace(ledger.run, kept=(*ledger.run.kept, kept)))


def all_waiting(ledger: Ledger) -> tuple[Waiting, ...]:
    """All that waits, in the order in which it came."""
    cards = [Waiting(kept.mark, kept.by.id, kept.card) for kept in ledger.run.kept]
    return tuple(sorted((*cards, *ledger.waiting), key=lambda arrived: arrived.seq))


def open_ledger(entry: Entry) -> Ledger:
    """Begin with entry 1. Raises `JournalError` NOT_OPENED when it is anything else."""
    if entry.kind != "opened" or entry.seq != 1:
        raise JournalError("NOT_OPENED", seq=entry.seq, kind=entry.kind)
    opening = opening_of(entry)
    return Ledger(entry.seq, opening, new_run(opening.house, dealt_rules(opening.rules, opening.house)))


def params_of(body: Body) -> Params:
    """Read the parameters that stand beside the fixed keys of an alert, trouble or hold."""
    return tuple((key, value) for key, value in body.get("params", {}).items())


NO_ANSWER: Final = "NO_ANSWER"
"""Nobody knows whether the device has done it."""


def adopted(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Go by the profile that a table has written into a journal from before there were profiles."""
    return ledger._replace(opening=ledger.opening._replace(house=_house_of(body), profiled=True))


def started(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Forget the devices at a start; an order on its way stays unanswered."""
    orders = tuple(
        (name, order if order.code is not None else order._replace(code=NO_ANSWER))
        for name, order in ledger.orders
    )
    decks = tuple((str(name), str(sha256)) for name, sha256 in body.get("decks", {}).items())
    return with_devices(ledger, ())._replace(orders=orders, decks=decks)


def ordered(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Record the last order to a device, without an answer."""
    order = OrderView(body["order"], body["reason"], entry.actor, entry.at_utc_us, None)
    return ledger._replace(orders=tuple({**dict(ledger.orders), body["device"]: order}.items()))


def order_answered(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Record a device's answer to the order on its way."""
    order = dict(ledger.orders).get(body["device"])
    if order is None or (order.order, order.code) != (body["order"], None):
        return ledger
    answered = {**dict(ledger.orders), body["device"]: order._replace(code=body["code"])}
    return ledger._replace(orders=tuple(answered.items()))


def payout(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Add an unconfirmed payout, or remove one that was entered late."""
    place = (body["round"], body["box"], body["seat"])
    # By its round first: a day has thousands, and every payout looks at each.
    others = tuple([one for one in ledger.unconfirmed if one.round != place[0] or one[:3] != place])
    if body["how"] == "computed":
        return ledger._replace(unconfirmed=(*others, UnconfirmedPayout(*place, body["paid"])))
    number = ledger.state.book.number
    booked = tuple(one for one in ledger.booked if one[0] == number and one[:3] != place)
    known = tuple(one for one in ledger.known if one[0] == number and one[:3] != place)
    return ledger._replace(
        unconfirmed=others,
        booked=(*booked, (*place, body["expected"])),
        known=(*known, (*place, body["how"])),
    )


def handled(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Tick a box off; the first box of another round starts a new list."""
    before = ledger.pay.handled if ledger.pay.round == body["round"] else ()
    return ledger._replace(pay=PayProgress(body["round"], (*before, body["box"])))


def signed_in(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """A sign-in ends the count of wrong PINs."""
    return ledger._replace(tries=ledger.tries.with_sign_in(body["person"], body["place"]))


def pin_refused(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Count a wrong PIN."""
    count = TryCount(body["person"], body["counted_at"], body["tries"], entry.at_utc_us)
    return ledger._replace(tries=ledger.tries.with_count(count))


def people_noted(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Remember the newest change of the people's file."""
    return ledger._replace(people_noted=max(ledger.people_noted, body["number"]))


def accepted_commands(ledger: Ledger, entry: Entry, body: Body) -> AnsweredCommands:
    """Add the command behind an entry to the accepted ones: a repetition is answered and not executed."""
    command = body.get("command")
    if not command:
        return ledger.answered
    return ledger.answered.with_answer(command, entry.seq, body.get("meaning", ""))


_ABOUT: Final = TypeAdapter(Hold)


def held(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Begin a hold; it replaces an earlier one on the same fault."""
    code, params = body["code"], params_of(body)
    if "about" in body:
        about = _ABOUT.validate_python({**body["about"], "code": code, "params": params})
        about = about._replace(since_utc_us=entry.at_utc_us, by=entry.actor)
        return ledger._replace(run=with_hold(ledger.run, about))
    own = own_hold(code, params, entry.at_utc_us, entry.actor)
    return ledger._replace(run=replace(ledger.run, holds=(*ledger.holds, own)))


def own_hold(code: str, params: Params, since_utc_us: int, by: str) -> Hold:
    """A hold of the runtime's own: nothing but a resume lifts it."""
    return Hold(code, release_of(code), ("keep",), params, 0, since_utc_us=since_utc_us, by=by)


def hold_view(hold: Hold, house: House) -> HoldView:
    """A hold as screens and recordings have it."""
    if not hold.round:
        # The page asks for the second signature where a way is chosen.
        ways = hold.ways if hold.release == "two" else ()
        return HoldView(hold.code, hold.params, hold.since_utc_us, hold.by, None, hold.release, ways)
    source = ruling_for(house.profile, hold.code).source
    about, place = hold._replace(since_utc_us=0, by=""), (hold.round, hold.card, hold.box)
    begun = (hold.since_utc_us, hold.by)
    return HoldView(hold.code, hold.params, *begun, about, hold.release, hold.ways, source, *place)


def hold_of(held: HoldView) -> Hold:
    """A hold that a recording kept as `hold_view` made it."""
    about = held.about or own_hold(held.code, held.params, 0, "")
    return about._replace(since_utc_us=held.since_utc_us, by=held.by)


def released(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """End the hold of an ended or accepted fault. In shadow each fault is accepted at once."""
    ended, run = (body["code"], params_of(body)), ledger.run
    # Older journals lack the field; their tables raised the hold again at the next card.
    stands = ledger.opening.in_shadow or body.get("waived", False)
    excused = ledger.excused
    for hold in run.holds:
        # The round is written where another one has a hold of this code.
        if (hold.code, hold.params) == ended and body.get("round", hold.round) == hold.round:
            run = without_hold(run, hold)
            if hold.code in PICTURE_DIFFERS:
                # A person has checked that card: the same picture does not raise the hold again.
                excused = (*excused, (run.state.book.number, excuse(hold.params)))
            if stands and hold.round:
                run = waived(run, hold)
    return ledger._replace(run=run, excused=excused)


def resumed(ledger: Ledger, _entry: Entry, _body: Body) -> Ledger:
    """End every hold: a person has checked each and accepted its fault."""
    run, number = ledger.run, ledger.state.book.number
    excused = tuple(known for known in ledger.excused if known[0] == number)
    excused += tuple((number, excuse(hold.params)) for hold in run.holds if hold.code in PICTURE_DIFFERS)
    for hold in run.holds:
        run = without_hold(run, hold)
        if hold.round:
            run = waived(run, hold)
    return ledger._replace(run=run, excused=excused)


def named(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """End the hold that asked which card it is; pictures from before say nothing any more."""
    action = naming_of(body)
    holds = tuple(hold for hold in ledger.holds if not is_doubt(hold, action))
    return ledger._replace(run=replace(ledger.run, holds=holds), moved_seq=entry.seq)


def naming_of(body: Body) -> NameCard:
    """Return a person's naming of a camera's card from the body of its entry."""
    at = body["at"]
    fields = {name: body[name] for name in NameCard._fields}
    return NameCard(**{**fields, "at": None if at is None else (at[0], at[1])})


def is_doubt(hold: Hold, action: NameCard) -> bool:
    """Whether this hold is the camera's question that the action answers."""
    doubt = unsure(action.box, action.was, action.seen or "")
    return (hold.by, hold.code, hold.params) == (f"device:{action.camera}", doubt.code, doubt.params)
