"""Commands of auditors: verification of a journal, a key or the program itself."""
