"""The screens of a table: snapshots and commands of people in, views and answers out.

May import the runtime and everything below it; no HTTP and no device. No rule of the game is derived here:
predicates and amounts come from the engine.
"""
