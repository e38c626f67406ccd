"""With this folder on its path a command finds no Matplotlib, draws no charts, and is done in half the time."""

raise ImportError("hidden by a test")
