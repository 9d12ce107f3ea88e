"""Whether the engine that runs was compiled, or is its source."""

from controller.engine import state


def engine_is_compiled() -> bool:
    """Whether a compiled module was imported in place of the engine's source."""
    return not str(state.__file__).endswith(".py")
