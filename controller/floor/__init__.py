"""Many tables at once: the copies of their journals, followed from folders into one archive."""
