"""Views of the pit's dialogs: alerts, holds, entered facts, previews of rulings, the tables of a floor."""
