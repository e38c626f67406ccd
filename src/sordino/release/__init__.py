"""The finished thing: the data, its proof, and the means to check it."""
