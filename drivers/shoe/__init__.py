"""Shoe readers: line protocols without I/O, one driver that runs them over a serial line, simulators.

What others call:

- `SerialShoe(config, protocol, post, clock)` in `driver`: `open()`, `close()`, `health()`, `send(command)`;
  `post(event, mono_ns)` is called from the driver's thread with each `ShoeEvent` of `events`.
- `AngelEye(options)` in `angel_eye`: the Angel Eye II-EX line protocol.
- `ShoeAdapter(name, session).report(event, mono_ns)` in `adapter`: what an event means to the table.
- `PtyShoe()` in `simulator`: a shoe on a pseudo-terminal; `PtyShoe.port` is what the driver opens.
"""
