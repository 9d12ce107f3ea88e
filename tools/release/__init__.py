"""Both wheels built, looked into, installed into bare environments and tried there: `make release-check`."""
