"""From results on disk to one HTML page and one PDF."""
