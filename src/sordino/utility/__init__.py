"""What a change of the data cost: one measure a file."""
