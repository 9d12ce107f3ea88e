"""Who sits and stands at a simulated table: dealer, guests, pit, and whoever does what he may not."""
