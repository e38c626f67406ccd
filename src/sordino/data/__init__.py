"""What sordino reads and writes: baskets, and the sources they come from."""
