"""How a check says that a release would be wrong."""


class ReleaseProblem(RuntimeError):
    """Something that has to be mended before a release; one sentence."""


def require(fits: bool, sentence: str) -> None:
    """Raise `ReleaseProblem` with the sentence unless it fits."""
    if not fits:
        raise ReleaseProblem(sentence)
