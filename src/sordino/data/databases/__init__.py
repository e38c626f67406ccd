"""Databases: reading from them, and putting published data into them."""
