"""Shoe readers: line protocols without I/O, one driver that runs them over a serial line, simulators.

What others call:

- `SerialShoe(config, protocol, post, clock)` in `driver`: `open()`, `close()`, `health()`, `send(...)`,
  `acknowledge()`; `post(event, mono_ns)` is called from its thread with each `ShoeEvent` of `events`.
- `AngelEye(options)` in `angel_eye`: the Angel Eye II-EX line protocol.
- `OpenShoe(options, namer)` in `open_shoe`: the open shoe protocol of hardware/open-shoe-protocol.md.
- `ShoeAdapter(name, session).report(event, mono_ns)` in `adapter`: what an event means to the table.
- `PtyShoe()` in `simulator` and `PtyReader(random, mono_ms)` in `open_simulator`: simulated readers on a
  pseudo-terminal; their `port` is what the driver opens.
"""
