"""What passed between the devices and the program, kept in MCAP files so that it can be played again."""
