"""Shoe readers.

In: bytes of a line. Out: `ShoeEvent`s, posted from the device thread, and what they mean to the table. May
import `drivers.line` and the life of a device. What others call:

- `driver.SerialShoe(config, protocol, post, clock)`: a reader on the device thread; `send` gives it a
command. - `angel_eye.AngelEye(options)` and `open_shoe.OpenShoe(options, namer)`: the two protocols. -
`adapter.ShoeAdapter(name, session)`: events as observations of the table, and as troubles that hold it.
"""
