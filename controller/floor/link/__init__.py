"""The floor's network: states, entries and commands of tables. Only this package uses NATS."""
