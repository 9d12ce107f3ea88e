"""Pages in one Chromium: a package, so that pytest closes it where the folder ends."""
