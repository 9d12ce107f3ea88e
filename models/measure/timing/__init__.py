"""Reading times, beside a network of a known size."""
