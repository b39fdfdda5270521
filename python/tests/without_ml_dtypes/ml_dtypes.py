"""Stands in for a package that is not installed."""

raise ImportError("not installed, for a test")
