"""The live table: one inbox, one task that owns the state, durable before visible."""
