"""Chips that are paid, counted, filled, dropped, and the limits of stakes."""
