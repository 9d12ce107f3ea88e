"""The ledger's state beside cards, holds and alerts: devices, payouts, commands, people."""

from typing import Final

from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.people.sign_in import TryCount
from controller.runtime.api import OrderView, PayProgress, UnconfirmedPayout
from controller.runtime.ledger.answered import AnsweredCommands
from controller.runtime.ledger.journal_opening import house_of
from controller.runtime.ledger.ledger import Ledger, with_devices

NO_ANSWER: Final = "NO_ANSWER"
"""Nobody knows whether the device has done it."""


def adopted(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Go by the profile that a table has written into a journal from before there were profiles."""
    return ledger._replace(opening=ledger.opening._replace(house=house_of(body), profiled=True))


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
