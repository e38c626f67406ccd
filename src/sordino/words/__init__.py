"""What may be said about results, once, for the terminal, the reports and Python alike."""
