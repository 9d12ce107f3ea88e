"""What cameras and the shoe say of the felt, held against the table."""
