"""What the journal says of the shift, for the pit: payouts, figures, the audit trail.

May import what `controller.screens` may; the table itself knows nothing of it.
"""
