"""Commands of auditors: what a journal, a key or the program itself proves."""
