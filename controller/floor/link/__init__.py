"""The floor's network: what tables show, send to the archive and are asked for; only here is NATS known."""
