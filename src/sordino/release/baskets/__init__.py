"""Releases of baskets from which items were deleted."""
