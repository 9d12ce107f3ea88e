"""From finished hands to what every bettor gets back, and how the round stands."""
