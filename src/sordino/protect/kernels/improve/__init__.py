"""Published parts drawn again among all that keep everybody safe."""
