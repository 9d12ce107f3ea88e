"""Tables and the pit's page on the floor's network: put together from configuration, screens and links."""
