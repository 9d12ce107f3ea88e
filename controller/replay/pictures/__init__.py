"""Pictures of a camera over the felt: played at the table's door, or handed to whoever labels them."""
