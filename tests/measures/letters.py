"""`python -m tests.measures.letters`: how well the reader knows letters of other languages from its ranks.

Crops of decks of fonts left out, letters of other languages among them, as `models.glyph_head` draws them.
"""

from typing import Annotated, Final, NamedTuple

import typer

from models.crops import FOREIGN, glyph_sample
from vision.certainty import LIKELY_INDEX, OTHER_LETTERS_RULE, PROBABILITY_LIMITS
from vision.geometry import Points
from vision.inference import Workers, default_models_dir
from vision.networks import HEADS, KNOWN, STATE_INDEX, UNKNOWN_BELOW, IndexNetwork, softmax_heads
from vision.reading import RANKS

SEED: Final = 77


class Letters(NamedTuple):
    """Of the crops that would be told but for their letters: ranks named, log odds, which are other."""

    ranks: Points
    known: Points
    other: Points


def told_letters(decks: int) -> Letters:
    """Draws crops of so many decks, 40 of each, and reads them."""
    sample = glyph_sample(40 * decks, SEED, held_out=True)
    network = IndexNetwork.open(default_models_dir() / "index", Workers(1))
    outputs = network.run(sample.crops)
    scores = softmax_heads(outputs.heads[:HEADS], network.temperature)
    sure = scores.rank.max(1) >= PROBABILITY_LIMITS.p_rank
    told = sure & (scores.state[:, STATE_INDEX] >= LIKELY_INDEX)
    other = sample.labels[:, 0] == FOREIGN
    return Letters(scores.rank.argmax(1)[told], outputs.heads[KNOWN][told, 0], other[told])


def main(decks: Annotated[int, typer.Option(min=1, help="Decks to draw.")] = 250) -> None:
    """Prints a line a rank: ranks below the limits, and other letters that pass them."""
    found = told_letters(decks)
    typer.echo("rank       right below limit below known       other  pass limit  pass known")
    for number, rank in enumerate(RANKS):
        own = found.known[(found.ranks == number) & ~found.other]
        other = found.known[(found.ranks == number) & found.other]
        limit, known = UNKNOWN_BELOW[number], OTHER_LETTERS_RULE.known
        counts = [len(own), (own < limit).sum(), (own < known).sum()]
        counts += [len(other), (other >= limit).sum(), (other >= known).sum()]
        typer.echo(f"{rank:>4} " + " ".join(f"{count:>11}" for count in counts))


if __name__ == "__main__":
    typer.run(main)
