"""`stand17 docs` and `stand17 config`: the pages and the example that the program brings with it."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.output import console, echo, echo_lines
from controller.domain import ConfigError


def _pages() -> dict[str, Path]:
    from controller.software import shipped_folder

    return {path.stem: path for path in sorted(shipped_folder("docs").glob("*.md")) if path.stem != "README"}


def _names(incomplete: str) -> list[str]:
    """The pages that a shell completes."""
    return [name for name in _pages() if name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None, typer.Argument(help="The page's name, as running.", autocompletion=_names)
    ] = None,
) -> None:
    """List the pages of the program's documentation with their files, or show one of them."""
    pages = _pages()
    if page is None:
        for name, path in pages.items():
            title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            echo(f"{name}\t{title}\t{path}")
        return
    if page not in pages:
        raise ConfigError("PAGE_UNKNOWN", page=page, known=", ".join(pages))
    from rich.markdown import Markdown

    words, shown = pages[page].read_text(encoding="utf-8"), console()
    if not shown.is_terminal:
        echo_lines(words.splitlines())
        return
    with shown.pager(styles=True):
        shown.print(Markdown(words))


def config() -> None:
    """Print a configuration with every setting and its default, to copy from."""
    from controller.software import shipped_folder

    example = shipped_folder("examples") / "table.toml"
    echo_lines(example.read_text(encoding="utf-8").splitlines())
