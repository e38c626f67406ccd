"""People chose for themselves what is sensitive: mine, dist and naka."""
