"""The pytest switch `--benchmark`: benchmarks on and everything else off."""
