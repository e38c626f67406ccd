"""Compiling before it is needed, or beside what needs it: by the public face, on made-up records."""
