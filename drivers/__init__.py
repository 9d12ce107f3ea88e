"""Devices at the table: shoe readers, cameras, keypads and small serial devices, and simulated ones.

In: ports, and what a configuration says of them. Out: events and pictures, from one thread a device. May
import the words of the table (`controller.domain`), its ports, and the reader of recordings.

`device_driver` is the one thread and the one life of every device; `line`, `shoe`, `camera` and `inputs` are
kinds of devices, `replay` puts a recording in a device's place, `simulated` has devices that are not there,
and `inventory` lists those that are.
"""
