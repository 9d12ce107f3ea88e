"""The heat map network: its scenes, its examples, its layers and its export."""
