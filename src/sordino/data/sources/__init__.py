"""One file a format: each turns its source into `Coded` records and says how to write them back."""
