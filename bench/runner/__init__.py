"""Computes the cells of a run: here, in worker processes, or on a Dask cluster."""
