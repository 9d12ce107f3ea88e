"""Commands on what was kept: played again, looked at, compared, cut, made small, written as columns."""
