"""What the pit's dialogs draw: alerts, holds, entered facts, rulings tried out, the tables of a floor."""
