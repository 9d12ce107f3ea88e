"""Permissions: who may do an act now, with which second person, and which hold a ruling ends."""
