"""What people and chips send: keypads, pedals, chip readers, racks."""
