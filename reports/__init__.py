"""From results on disk to one HTML page and one PDF."""

from reports.compile import compile_report

__all__ = ["compile_report"]
