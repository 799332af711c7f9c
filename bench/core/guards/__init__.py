"""Checks at the boundary to the system: files, folders, option values, terminals, signals."""
