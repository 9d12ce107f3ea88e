"""Packages in the making."""
