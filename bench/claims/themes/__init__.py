"""Claims, one file per theme; each file declares a list `CLAIMS`."""
