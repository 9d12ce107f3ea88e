"""The card reader: pictures in, certain cards and unclear spots out. Imports `controller.domain` only.

`reader.py` is the pipeline on one screen. A picture passes `proposal`, `networks`, `indices`, `assembly`,
`hands`, `certainty`, `acceptance`, `face_witness`, `card_sized`, `heat_map_audit`, `remaining`. Below them:
`native`, `inference`, `geometry`, `pictures`. Around them: `tracking` (cards over time), `calibration` (where
a pixel lies on the felt), `shoe_mouth` (one card after the other), `synth` (drawn cards and tables).
"""

import os

# The wheels of onnxruntime report to their maker and leave an identifier on disk as soon as they are loaded
# (since 1.29). The controller opens no connections of its own: set this before the first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
