"""Training crops: their format, sources and drawing in shards."""
