"""What is wrong with data from outside: a pydantic error in, one problem with its field and words out.

Every door of the program checks what comes in with pydantic models and says what is wrong in this one shape.
May import pydantic and the errors of `controller.domain`.
"""

from controller.validation.problem import (
    VALUE_LENGTH_MAX,
    FieldProblem,
    first_problem,
    missing,
    not_plain,
    wrong,
)

__all__ = ["VALUE_LENGTH_MAX", "FieldProblem", "first_problem", "missing", "not_plain", "wrong"]
