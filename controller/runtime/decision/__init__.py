"""The path of a command or a report: permission, the policy's decision, entries."""
