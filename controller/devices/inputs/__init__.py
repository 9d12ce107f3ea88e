"""What people and chips send: keypads, pedals, chip sources."""
