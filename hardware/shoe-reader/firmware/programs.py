"""The two PIO programs: what needs microseconds and must go on while the processor does something else.

Both run at a cycle a microsecond. The flash ends by itself after 40 cycles whatever happens, so that
nothing that hangs can leave six lamps on.
"""

import rp2

CYCLES_HZ = 1000000
FLASH_US = 40


@rp2.asm_pio(set_init=rp2.PIO.OUT_LOW)
def flash():
    """One flash of 40 us in each period; the period's length less 43 cycles is put into the FIFO once."""
    pull(block)  # noqa: F821 - names of the PIO assembler
    mov(y, osr)  # noqa: F821
    wrap_target()  # noqa: F821
    set(pins, 1)[31]  # noqa: F821 - a delay of 31 is the greatest
    nop()[7]  # noqa: F821
    set(pins, 0)  # noqa: F821
    mov(x, y)  # noqa: F821
    label("pause")  # noqa: F821
    jmp(x_dec, "pause")  # noqa: F821
    wrap()  # noqa: F821


@rp2.asm_pio(fifo_join=rp2.PIO.JOIN_RX)
def stamp():
    """Count down once in two cycles, and put the count into the FIFO at each change of the pin.

    A change costs six cycles and counts three: no time is lost, so that two of these that began together
    agree for ever.
    """
    mov(x, invert(null))  # noqa: F821
    label("low")  # noqa: F821
    jmp(pin, "rose")  # noqa: F821
    jmp(x_dec, "low")  # noqa: F821
    jmp("low")  # noqa: F821
    label("rose")  # noqa: F821
    mov(isr, x)  # noqa: F821
    push(noblock)  # noqa: F821
    jmp(x_dec, "rose_1")  # noqa: F821
    label("rose_1")  # noqa: F821
    jmp(x_dec, "rose_2")  # noqa: F821
    label("rose_2")  # noqa: F821
    jmp(x_dec, "high")  # noqa: F821
    label("high")  # noqa: F821
    jmp(pin, "stays")  # noqa: F821
    mov(isr, x)  # noqa: F821
    push(noblock)  # noqa: F821
    jmp(x_dec, "fell_1")  # noqa: F821
    label("fell_1")  # noqa: F821
    jmp(x_dec, "fell_2")  # noqa: F821
    label("fell_2")  # noqa: F821
    jmp(x_dec, "low")  # noqa: F821
    jmp("low")  # noqa: F821
    label("stays")  # noqa: F821
    jmp(x_dec, "high")  # noqa: F821
    jmp("high")  # noqa: F821
