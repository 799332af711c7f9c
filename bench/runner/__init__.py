"""Compute the cells of a run: in this process, in worker processes or on a Dask cluster."""
