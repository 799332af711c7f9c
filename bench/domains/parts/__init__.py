"""What domains share: points, sampling, faces, boxes, meshes from files."""
