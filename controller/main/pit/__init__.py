"""The pit's server: the tables of a floor from their journals, and the page over them."""
