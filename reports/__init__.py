"""From results on disk to one HTML page and one PDF."""

from reports.benchmarks import compile_benchmarks
from reports.compile import compile_report

__all__ = ["compile_benchmarks", "compile_report"]
