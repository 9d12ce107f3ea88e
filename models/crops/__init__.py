"""Training crops: what they are, where they come from, and how they are drawn in shards."""
