"""Shoe readers.

In: bytes of a line. Out: `ShoeEvent`s, posted from the device thread, and what they mean to the table.
`reader` has the reader on the device thread and its events, `angel_eye` and `open_shoe` are the two
protocols. The open one is specified in hardware/open-shoe-protocol.md: `open_frames` makes messages of bytes,
each once and in order, `open_passages` cards and the reader's own state of messages.
"""
