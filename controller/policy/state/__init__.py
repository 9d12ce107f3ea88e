"""The state of the policy: holds, waiting cards, chips, payouts, and the house's options."""
