"""What a release says of itself, is signed with, and is tried in."""
