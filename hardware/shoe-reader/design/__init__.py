"""The shoe reader as code: geometry, light, printed parts and circuit.

Lengths in millimetres. x goes the way a card is drawn, 0 where it covers the inner sensor; y goes across,
from the left of somebody who looks that way, 0 where the card's edge is guided; z goes up, 0 where a card's
face lies. `geometry` and `light` need nothing but Python; `parts` needs build123d and `circuit` SKiDL,
which `make hardware` installs.
"""
