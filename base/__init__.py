"""Foundations of all packages: errors for users, progress display, registries of plugins.

`base` imports no other package of the project and no large library.
"""
