"""A shift's report for people: page and files from `rounds.shift_report` in a language."""
