"""Cards drawn from the reference firmware; CPython and MicroPython must print the same bytes."""

import sys

import frames
import link
import reader

INK = bytes((200, 40))
PICTURES = [
    (32, 48, bytes((x * 7 + y * 5) % 256 for y in range(48) for x in range(32))),
    (32, 48, INK * 768),
    (8, 8, bytes([30] * 64)),
    None,
    (8, 8, bytes([220] * 64)),
    (32, 48, INK * 768),
]

INNER, OUTER = False, True
DRAWN = ((0, INNER, True), (50, OUTER, True), (126, INNER, False), (176, OUTER, False))
PULLED_BACK = ((0, INNER, True), (40, INNER, False))
SCRIPT = (DRAWN, PULLED_BACK, DRAWN, DRAWN, DRAWN, DRAWN)


def draw():
    """Draw a card, push one back, draw a card, the cut card, one without picture and one without index."""
    device = link.Link(0xBEEF)
    pictures = list(PICTURES)
    shoe = reader.Reader(device, lambda: pictures.pop(0), b"SN0001234567", bytes(8))
    device.status = lambda: (shoe.status(), 31)
    out, start_ms = device.outgoing(0), 100
    for passing in SCRIPT:
        for after_ms, is_outer, covered in passing:
            now_ms = start_ms + after_ms
            shoe.sensor(is_outer, covered, now_ms * 1000)
            shoe.tick(now_ms * 1000)
            out += device.outgoing(now_ms)
            while device.to_send != device.next:
                out += device.outgoing(now_ms)
            ack = frames.encode(frames.ACK, b"", flags=0, boot=0xBEEF, seq=device.next, t_ms=0)
            device.hear(ack, now_ms)
        start_ms += 400
    return out + device.outgoing(start_ms + 2000)


sys.stdout.write(draw().hex() + "\n")
