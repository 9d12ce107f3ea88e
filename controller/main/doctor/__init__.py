"""The doctor: looks at everything that a table needs, and says what is wrong and how to mend it.

`examination` puts the checks together, `table` and `machine` are the checks, `findings` what they tell. What
a start of the table refuses is refused by the same functions here.
"""

from controller.main.doctor.examination import before_opening, examine
from controller.main.doctor.findings import CheckResult

__all__ = ["CheckResult", "before_opening", "examine"]
