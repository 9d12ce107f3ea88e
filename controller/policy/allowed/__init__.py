"""Who may do what now, with whom, and which ruling mends which hold."""
