"""The shift for the pit, from the journal: payouts, figures, the audit trail.

May import what `controller.screens` may; the table does not import it.
"""
