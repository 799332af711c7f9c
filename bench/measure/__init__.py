"""Norms of errors, the quadrature behind them, clocks and limits of the machine."""
