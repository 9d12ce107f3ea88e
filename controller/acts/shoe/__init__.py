"""What happens to the shoe between its first card and its last."""
