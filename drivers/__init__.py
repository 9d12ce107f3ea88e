"""Devices at the table: shoe readers, cameras, and simulated ones that speak the real wire protocols."""
