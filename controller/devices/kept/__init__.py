"""What devices send, kept in recordings."""
