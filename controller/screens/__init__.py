"""What each person sees and may press: snapshots and acts of people in, views, commands and answers out.

May import the runtime and everything below it; no HTTP and no device. No rule of the game is derived here:
predicates and amounts come from the engine.
"""
