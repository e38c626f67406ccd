"""Changes data until a policy holds. One method a file; the registry names them all."""
