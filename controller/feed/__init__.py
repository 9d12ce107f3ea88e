"""The feed format: one JSON object an observation, read, checked, written and replayed."""
