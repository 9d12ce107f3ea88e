"""What is checked of the lines of several acts, once each field is what it may be."""

from controller.acts.declaring import Line, Problem


def box_is_named(line: Line) -> Problem | None:
    """What goes to a box says to which."""
    return ("missing", "box") if line.get("to") == "box" and line.get("box") is None else None


def card_is_named(ruling: Line) -> Problem | None:
    """A card is named by its number in the round or by its id."""
    return ("missing", "card") if ruling.get("card") is None and ruling.get("id") is None else None


def sum_agrees(counted: Line) -> Problem | None:
    """A sum or pieces; where both are given they have to agree."""
    amount: int | None = counted.get("amount")
    pieces: dict[str, int] | None = counted.get("chips")
    if amount is None and pieces is None:
        return "missing", "amount"
    if amount is None or pieces is None:
        return None
    return (
        None
        if amount == sum(int(value) * number for value, number in pieces.items())
        else ("wrong", "amount")
    )
