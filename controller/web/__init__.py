"""The dealer's and the pit's screen: view, live socket, commands. No rule of the game lives here."""
