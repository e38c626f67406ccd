"""HTML reports from results: plain data in, one self-contained page out."""
