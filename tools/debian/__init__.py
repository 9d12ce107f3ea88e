"""Packages for Debian: the program, each version in its own folder, and the service that they share."""
