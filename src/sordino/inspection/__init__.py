"""A look at data before anything is asked of them: how they would be read, and what may not be as it seems."""
