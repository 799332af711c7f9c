"""Spaces on the uniform unit cube: no mesh is stored, every index is arithmetic."""
