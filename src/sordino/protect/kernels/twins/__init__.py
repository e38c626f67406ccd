"""Twins: places that records share, so that absence tells nothing."""
