"""The controller process of one blackjack table: engine, journal, runtime, pages and command line."""
