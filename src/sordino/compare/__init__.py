"""Which method and which threshold? Runs them all on the same data, and never one of them twice."""
