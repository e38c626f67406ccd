"""People put into groups: cahd, injector and anatomy."""
