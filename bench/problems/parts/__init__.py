"""What problems share: singular edges, the wedge, a computed reference."""
