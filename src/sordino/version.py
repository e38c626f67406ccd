"""The version, in a place that every room may import."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.1.0"
