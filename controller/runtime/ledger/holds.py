"""Holds in the ledger: how they begin, and what ends them."""

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter

from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.policy import House
from controller.policy.allowed.permissions import release_of
from controller.policy.state.holds import Hold, is_same, ruling_for
from controller.policy.state.run import WAIVABLE, chips_without, standing
from controller.runtime.api import HoldView, NameCard
from controller.runtime.contradictions import DISAGREES, excuse, unsure
from controller.runtime.ledger.ledger import Ledger, params_of

_ABOUT: Final = TypeAdapter(Hold)


def held(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Begin a hold; one that is already there for the same thing is replaced."""
    hold = HoldView(body["code"], params_of(body), entry.at_utc_us, entry.actor)
    if "about" not in body:
        # The page asks for the second signature where a way is chosen.
        release = release_of(hold.code)
        hold = hold._replace(release=release, ways=("keep",) if release == "two" else ())
        return ledger._replace(holds=(*ledger.holds, hold))
    about = _ABOUT.validate_python({**body["about"], "code": hold.code, "params": hold.params})
    hold = _placed(hold, about, ledger.opening.house)
    others = tuple(old for old in ledger.holds if old.about is None or not is_same(old.about, about))
    return ledger._replace(holds=(*others, hold))


def _placed(hold: HoldView, about: Hold, house: House | None) -> HoldView:
    """The hold with what its policy knows of it, told for the screens."""
    source = "" if house is None else ruling_for(house.profile, hold.code).source
    return hold._replace(
        about=about,
        release=about.release,
        ways=about.ways,
        source=source,
        round=about.round,
        card=about.card,
        box=about.box,
    )


def hold_of(held: HoldView) -> Hold:
    """A hold as the policy sees it; one of the runtime's own is one that nothing but a resume lifts."""
    return held.about or Hold(held.code, release_of(held.code), ("keep",), held.params, 0)


def released(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """A fault is mended, or somebody has let it stand: its hold ends. In shadow each is let stand at once."""
    ended = (body["code"], params_of(body))
    about = [
        hold.about for hold in ledger.holds if hold.about is not None and (hold.code, hold.params) == ended
    ]
    chips, house = ledger.chips, ledger.opening.house
    for hold in about:
        chips = chips_without(chips, hold)
    ledger = ledger._replace(
        holds=tuple(hold for hold in ledger.holds if (hold.code, hold.params) != ended), chips=chips
    )
    return _stand(ledger, about) if house is not None and house.in_shadow else ledger


def _stand(ledger: Ledger, faults: Sequence[Hold]) -> Ledger:
    """The round goes on in spite of these faults."""
    state, waived = ledger.state, ledger.waived
    for fault in faults:
        state = standing(state, fault.code)
    waived += tuple((fault.code, fault.round) for fault in faults if fault.code in WAIVABLE)
    return ledger._replace(state=state, waived=waived)


def resumed(ledger: Ledger, _entry: Entry, _body: Body) -> Ledger:
    """End every hold: somebody has looked at what each was about and let it stand."""
    number = ledger.state.book.number
    excused = tuple(known for known in ledger.excused if known[0] == number)
    excused += tuple(
        (number, excuse(hold.params)) for hold in ledger.holds if hold.code.startswith(DISAGREES)
    )
    about = [hold.about for hold in ledger.holds if hold.about is not None]
    chips = ledger.chips
    for fault in about:
        chips = chips_without(chips, fault)
    return _stand(ledger, about)._replace(holds=(), excused=excused, chips=chips)


def named(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """End the hold that asked which card it is; pictures from before say nothing any more."""
    action = naming_of(body)
    holds = tuple(hold for hold in ledger.holds if not is_doubt(hold, action))
    return ledger._replace(holds=holds, moved_seq=entry.seq)


def naming_of(body: Body) -> NameCard:
    """Read what a person said about a camera's card from the body of its entry."""
    at = body["at"]
    fields = {name: body[name] for name in NameCard._fields}
    return NameCard(**{**fields, "at": None if at is None else (at[0], at[1])})


def is_doubt(hold: HoldView, action: NameCard) -> bool:
    """Whether this hold is the camera's question that the action answers."""
    doubt = unsure(action.box, action.was, action.seen or "")
    return (hold.by, hold.code, hold.params) == (f"device:{action.camera}", doubt.code, doubt.params)
