"""A run on disk: cells, their files, fingerprints, provenance, and tables of results."""
