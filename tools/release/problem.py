"""The error that a release check raises."""


class ReleaseProblem(RuntimeError):
    """Something that has to be mended before a release; one sentence."""


def require(fits: bool, sentence: str) -> None:
    """Raise `ReleaseProblem` with the sentence unless it fits."""
    if not fits:
        raise ReleaseProblem(sentence)
