"""The table as a place of work: its day, its dealer, its devices, its holds, and what people write down."""
