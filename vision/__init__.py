"""Pictures to card reads: locate, rectify, classify, refuse. Knows nothing of rules or of the runtime."""
