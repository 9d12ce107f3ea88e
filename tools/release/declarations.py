"""The version that the sources say of themselves."""

import tomllib

from tools.compile import ROOT


def declared_version() -> str:
    """The version that pyproject.toml says."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
