"""What is kept elsewhere as it is made: signed heads and copies, each place on a thread of its own."""
