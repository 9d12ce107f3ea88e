"""Who deals, as sign-ins say: the facts that a sign-in or sign-out of a dealer leads to."""

from controller.acts.catalogue import DealerSeated
from controller.people.sign_in import PeopleChanged, SignedIn, SignedOut, StaffEvent


def dealer_facts(dealing: str, event: StaffEvent) -> tuple[DealerSeated, ...]:
    """Give what an event means for the table, whose dealer so far is `dealing`, "" for nobody.

    One person deals: who signs in takes the place of whoever dealt before. A session that ends unused changes
    nothing, since its dealer may stand there all the same; one who is disabled deals no longer.
    """
    match event:
        case SignedIn(person=person, role="dealer", way="pin" | "card") if person != dealing:
            leaves = (DealerSeated(dealing, "out"),) if dealing else ()
            return (*leaves, DealerSeated(person, "in"))
        case SignedOut(person=person) | PeopleChanged(person=person, change="disabled") if person == dealing:
            return (DealerSeated(person, "out"),)
    return ()
