"""Pictures of a camera over the layout: played at the table's door, or exported for labelling."""
