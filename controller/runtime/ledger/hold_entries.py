"""The beginning and the end of holds in the ledger."""

from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter

from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.policy import House
from controller.policy.allowed.permissions import release_of
from controller.policy.state.holds import PICTURE_DIFFERS, Hold, ruling_for
from controller.policy.state.run import waived, with_hold, without_hold
from controller.runtime.api import HoldView, NameCard, Params
from controller.runtime.contradictions import excuse, unsure
from controller.runtime.ledger.ledger import Ledger, params_of

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
        if (hold.code, hold.params) == ended:
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
