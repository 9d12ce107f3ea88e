"""What a command or a report leads to: may this person, now; what the policy says; which entries."""
