"""The program's own files: which were shipped, whether they are still the same, and who has released them."""
