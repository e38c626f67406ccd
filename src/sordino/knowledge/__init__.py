"""What an adversary may know beforehand: rules that the data themselves teach."""
