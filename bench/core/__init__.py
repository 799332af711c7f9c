"""Foundations of bench: settings, users' plugins, guards for input and output, JSON values."""
