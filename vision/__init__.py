"""Pictures to card reads: locate, rectify, classify, refuse. Knows nothing of rules or of the runtime."""

import os

# The wheels of onnxruntime report to their maker and leave an identifier on disk as soon as they are loaded
# (since 1.29). A table's controller talks to nobody: this has to be set before the first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
