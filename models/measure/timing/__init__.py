"""How long reading takes, beside a network of a known size."""
