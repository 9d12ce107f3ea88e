"""A shift's report as people read it: in go `rounds.shift_report` and a language, out come page and files."""
