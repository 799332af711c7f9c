"""Helpers of domains: points, sampling, faces, unions of boxes, meshes from files."""
