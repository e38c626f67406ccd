"""Many small tables through every method and option, in a process that is killed where a run does not end."""
